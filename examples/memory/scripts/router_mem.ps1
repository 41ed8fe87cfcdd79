# Pass an operation and its arguments to memory.py in this folder.
$ErrorActionPreference = 'Stop'
& python (Join-Path $PSScriptRoot 'memory.py') @args
exit $LASTEXITCODE
