# Hand an operation and its arguments to memory.py beside this file.
$ErrorActionPreference = 'Stop'
& python (Join-Path $PSScriptRoot 'memory.py') @args
exit $LASTEXITCODE
