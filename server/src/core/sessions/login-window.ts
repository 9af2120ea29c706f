/** How far the timestamp of a login may be from the time of the server, either way. The specification sets it. */
export const LOGIN_WINDOW_SECONDS = 300;
