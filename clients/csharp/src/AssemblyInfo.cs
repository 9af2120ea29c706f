using System.Reflection;
using System.Runtime.CompilerServices;

[assembly: AssemblyTitle("Savepoint.Client")]
[assembly: AssemblyVersion("1.0.0.0")]
// The driver of the conformance suite and the checks.
[assembly: InternalsVisibleTo("Savepoint.Driver")]
[assembly: InternalsVisibleTo("Savepoint.Checks")]
