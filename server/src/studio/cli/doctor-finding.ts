/** A warning names a risk that the operator may have taken knowingly: it does not fail the command. */
export type DoctorFinding = { name: string; problem?: string; warning?: string; advice?: string };
