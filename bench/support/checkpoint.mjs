import pg from 'pg';

/**
 * Writes all changed pages to the disk, at once. The next change of any page then writes the whole page to the log, so a measurement
 * after this begins as after any checkpoint. The service's role may not do this; the embedded cluster's owner has the same password.
 */
export async function checkpoint({ host, port, password }) {
  const owner = new pg.Client({ host, port, password, user: 'postgres', database: 'postgres' });
  await owner.connect();
  try {
    await owner.query('checkpoint');
  } finally {
    await owner.end();
  }
}
