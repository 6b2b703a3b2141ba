/** The completion script for PowerShell, 5.1 and later. */

export const script = `# PowerShell completion for supportctl: supportctl completion powershell
# For every shell: append it to the file that $PROFILE names
# For this one:    supportctl completion powershell | Out-String | Invoke-Expression

Register-ArgumentCompleter -Native -CommandName supportctl -ScriptBlock {
	param($wordToComplete, $commandAst, $cursorPosition)
	# The words before the cursor without their quotes; the last one is typed, or not yet begun.
	$words = @($commandAst.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.StartOffset -lt $cursorPosition } | ForEach-Object {
		if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text }
	})
	if ($wordToComplete -eq '') { $words += '' }
	# Empty words and quotation marks would be lost on the way to a program.
	$json = ConvertTo-Json -Compress -InputObject @($words)
	$question = [Convert]::ToBase64String([Text.Encoding]::UTF8.GetBytes($json))
	$answer = @(supportctl __complete powershell $question 2>$null)
	if ($answer.Count -eq 0) { return }
	if ($answer[0] -eq 'files') {
		$before = $answer[1]
		[System.Management.Automation.CompletionCompleters]::CompleteFilename([string]$answer[2]) | ForEach-Object {
			[System.Management.Automation.CompletionResult]::new("$before$($_.CompletionText)", $_.ListItemText, $_.ResultType, $_.ToolTip)
		}
		return
	}
	$answer | Select-Object -Skip 1 | ForEach-Object {
		$value, $help = $_ -split "\`t", 2
		if (-not $help) { $help = $value }
		$text = if ($value -match '[^A-Za-z0-9_./:=+-]') { "'" + $value.Replace("'", "''") + "'" } else { $value }
		[System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $help)
	}
}
`;
