#!/usr/bin/env bash
# usage: clients/csharp/build.sh
# Compiles the client, its driver for the conformance suite and its checks with Mono's mcs, into dist/. The newest language that mcs knows is
# C# 7.2, one step below what the client may use (7.3), so it cannot use too much.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
mkdir -p dist
common=(-nologo -langversion:7.2 -warnaserror)
mcs "${common[@]}" -target:library -r:System.Net.Http -doc:dist/Savepoint.Client.xml -out:dist/Savepoint.Client.dll src/*.cs
mcs "${common[@]}" -target:exe -r:System.Net.Http -r:dist/Savepoint.Client.dll -out:dist/Savepoint.Driver.exe driver/*.cs
mcs "${common[@]}" -target:exe -r:dist/Savepoint.Client.dll -out:dist/Savepoint.Checks.exe test/*.cs
