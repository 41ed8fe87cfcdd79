# Greet someone. The last line is JSON.
param([Parameter(Mandatory)][string]$Name)
$ErrorActionPreference = 'Stop'
[ordered]@{ status = 'ok'; greeting = "Hello, $Name!" } | ConvertTo-Json -Compress
