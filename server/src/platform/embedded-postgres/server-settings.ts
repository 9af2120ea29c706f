import { memorySettings, usableMemory } from './memory-settings.js';

/** Only what differs from PostgreSQL's defaults, or what durability rests on. `extra` wins. */
export function serverArguments(options: {
  clusterDir: string;
  socketDir: string;
  port: number;
  extra: Readonly<Record<string, string>>;
}): string[] {
  const settings: Record<string, string> = {
    // Reachable through the private socket only.
    listen_addresses: '',
    port: String(options.port),
    unix_socket_directories: quoteListItem(options.socketDir),
    max_connections: '100',
    ...memorySettings(usableMemory()),
    // An acknowledged commit is on the disk.
    fsync: 'on',
    synchronous_commit: 'on',
    // Few, spread-out checkpoints: each one makes every page's next change write the whole page.
    max_wal_size: '4GB',
    min_wal_size: '512MB',
    checkpoint_timeout: '15min',
    // The only method of the embedded build takes 160 µs of CPU for a page, more than the event that changed it, and saves 40% of it at most.
    wal_compression: 'off',
    // The service's queries are short; compiling them costs more than it saves.
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_min_messages: 'warning',
    log_line_prefix: '%m [%p] ',
    ...options.extra,
  };
  return [
    '-D',
    options.clusterDir,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
}

/** The setting is a list, in which a comma or a blank in the path would begin the next item. */
function quoteListItem(path: string): string {
  return `"${path.replaceAll('"', '""')}"`;
}
