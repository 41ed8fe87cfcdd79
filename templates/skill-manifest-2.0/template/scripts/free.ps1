# Report the free bytes on the disk that contains a folder. The last line is JSON.
param([Parameter(Mandatory)][string]$Folder)
$ErrorActionPreference = 'Stop'
try {
    if (-not (Test-Path -LiteralPath $Folder -PathType Container)) { throw 'folder not found' }
    $root = [System.IO.Path]::GetPathRoot((Resolve-Path -LiteralPath $Folder).ProviderPath)
    $bytes = [System.IO.DriveInfo]::new($root).AvailableFreeSpace
    [ordered]@{ status = 'ok'; bytes = $bytes } | ConvertTo-Json -Compress
} catch {
    [ordered]@{ status = 'error'; error = $_.Exception.Message } | ConvertTo-Json -Compress
    exit 1
}
