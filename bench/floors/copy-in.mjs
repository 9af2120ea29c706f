/**
 * `copy … from stdin` of one text through `pg`, which has no function for it but lets an object handle the protocol
 * messages.
 */
export function copyIn(client, statement, text) {
  return new Promise((resolve, reject) => {
    let failure;
    client.query({
      submit: (connection) => connection.query(statement),
      handleCopyInResponse(connection) {
        connection.sendCopyFromChunk(Buffer.from(text));
        connection.endCopyFrom();
      },
      handleCommandComplete() {},
      handleError(error) {
        failure = error;
        reject(error);
      },
      handleReadyForQuery() {
        if (failure === undefined) resolve();
      },
    });
  });
}
