# Tell how many bytes are left on the disk that holds a folder. The last line is JSON.
param([Parameter(Mandatory)][string]$Folder)
$ErrorActionPreference = 'Stop'
try {
    if (-not (Test-Path -LiteralPath $Folder -PathType Container)) { throw 'there is no such folder' }
    $root = [System.IO.Path]::GetPathRoot((Resolve-Path -LiteralPath $Folder).ProviderPath)
    $bytes = [System.IO.DriveInfo]::new($root).AvailableFreeSpace
    [ordered]@{ status = 'ok'; bytes = $bytes } | ConvertTo-Json -Compress
} catch {
    [ordered]@{ status = 'error'; error = $_.Exception.Message } | ConvertTo-Json -Compress
    exit 1
}
