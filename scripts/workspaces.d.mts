export const WORKSPACES: readonly string[];
export const WORKSPACE_SOURCES: Readonly<Record<string, string>>;
