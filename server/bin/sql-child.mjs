// The process that answers `savepoint sql`: see src/features/event-files/asking/ask-files.ts.
import '../dist/bin/sql-child.js';
