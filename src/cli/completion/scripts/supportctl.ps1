# PowerShell completion for supportctl
# For PowerShell from 5.1 on.

Register-ArgumentCompleter -Native -CommandName supportctl -ScriptBlock {
	param($current, $line, $cursor)
	# The words before the cursor without their quotes; the last one is typed, or not yet begun.
	$words = @($line.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.StartOffset -lt $cursor } |
		ForEach-Object { if ($null -ne $_.Value) { $_.Value } else { $_.Extent.Text } })
	if ($current -eq '') { $words += '' }
	$kind, $first, $path, $rest = $answer = @($words | supportctl __complete powershell 2>$null)
	if ($kind -eq 'files') {
		[Management.Automation.CompletionCompleters]::CompleteFilename([string]$path) | ForEach-Object {
			[Management.Automation.CompletionResult]::new("$first$($_.CompletionText)", $_.ListItemText, $_.ResultType, $_.ToolTip)
		}
		return
	}
	$answer | Select-Object -Skip 1 | ForEach-Object {
		$value, $help = $_ -split "`t", 2
		$text = if ($value -match '[^A-Za-z0-9_./:=+-]') { "'" + $value.Replace("'", "''") + "'" } else { $value }
		[Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $(if ($help) { $help } else { $value }))
	}
}
