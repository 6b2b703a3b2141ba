/* Filters, sorts and chooses rows, and copies commands. It reads text, and writes none but counts, IDs and "Copied". */

const body = document.querySelector('#rows tbody');
const words = document.querySelector('#words');
const chips = [...document.querySelectorAll('[data-filter]')];

function filter() {
	const wanted = words.value.toLowerCase();
	const outcomes = chips.filter((chip) => chip.ariaPressed === 'true').map((chip) => chip.dataset.filter);
	let shown = 0;
	for (const row of body.rows) {
		const hasOutcome = outcomes.length === 0 || outcomes.includes(row.dataset.outcome);
		row.hidden = !hasOutcome || !row.textContent.toLowerCase().includes(wanted);
		if (!row.hidden) shown++;
	}
	const all = body.rows.length.toLocaleString('en');
	const text = shown === body.rows.length ? `${all} rows` : `${shown.toLocaleString('en')} of ${all} rows`;
	document.querySelector('#shown').textContent = text;
}

words.addEventListener('input', filter);
for (const chip of chips) {
	chip.addEventListener('click', () => {
		chip.ariaPressed = String(chip.ariaPressed !== 'true');
		filter();
	});
}

const heads = [...document.querySelectorAll('#rows th')];
for (const [at, head] of heads.entries()) {
	head.querySelector('button')?.addEventListener('click', () => {
		const sign = head.ariaSort === 'ascending' ? -1 : 1;
		for (const each of heads) each.ariaSort = null;
		head.ariaSort = sign === 1 ? 'ascending' : 'descending';
		const text = (row) => row.cells[at].textContent;
		const order = new Intl.Collator('en', { numeric: true });
		const sorted = [...body.rows].sort((left, right) => sign * order.compare(text(left), text(right)));
		body.append(...sorted);
	});
}

const apply = document.querySelector('#apply');
const all = document.querySelector('#all');

/** Rows of one object are chosen together. */
function choose() {
	const chosen = new Set();
	const left = new Set();
	for (const { value, checked } of body.querySelectorAll('.box input')) (checked ? chosen : left).add(value);
	const [flag, ids] = left.size <= chosen.size ? ['--except', left] : ['--ids', chosen];
	const part = left.size === 0 ? command : `${command} ${flag} ${[...ids].join(',')}`;
	apply.textContent = chosen.size === 0 ? 'no row is chosen' : part;
	all.checked = left.size === 0;
	all.indeterminate = left.size > 0 && chosen.size > 0;
}

const command = apply?.textContent;
if (all !== null) {
	for (const cell of document.querySelectorAll('.box')) cell.hidden = false;
	all.addEventListener('change', () => {
		for (const row of body.rows) if (!row.hidden) row.querySelector('.box input').checked = all.checked;
		choose();
	});
	body.addEventListener('change', ({ target }) => {
		for (const box of body.querySelectorAll('.box input')) if (box.value === target.value) box.checked = target.checked;
		choose();
	});
}

for (const button of document.querySelectorAll('.copy')) {
	button.hidden = false;
	button.addEventListener('click', async () => {
		const code = button.parentElement.querySelector('code');
		try {
			await navigator.clipboard.writeText(code.textContent);
			button.textContent = 'Copied';
		} catch {
			getSelection().selectAllChildren(code);
		}
		setTimeout(() => {
			button.textContent = 'Copy';
		}, 2000);
	});
}

filter();
