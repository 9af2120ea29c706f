/**
 * A problem at start that was foreseen. The message is a whole sentence for the person who typed the
 * command: what is wrong, and what to do next. The command line prints it without a stack.
 */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
