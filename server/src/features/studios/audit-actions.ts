/**
 * All actions of the audit log. A change without an action here cannot be recorded.
 * `server/test/features/studios/audit-coverage.test.ts` fails until every command and every route is listed with its entry.
 */
export const AUDIT_ACTIONS = {
  'tenant.create': 'a studio was created',
  'game.create': 'a game was created',
  'game.update': 'settings of a game were changed: name, retention, unregistered event types',
  'api_key.create': 'an API key was created',
  'api_key.rotate': 'an API key was given a successor, and perhaps an end',
  'api_key.revoke': 'an API key was revoked, or its sessions were ended',
  'admin_token.create': 'an admin token was created',
  'admin_token.revoke': 'an admin token was revoked',
  'member.add':
    'somebody became a member of a studio, by invitation, by command or at the first start in development',
  'member.update': 'a member was given another role',
  'member.remove': 'a member was removed from a studio',
  'invitation.create': 'somebody was invited to a studio',
  'invitation.revoke': 'an invitation was taken back',
  'account.password': 'a member has set a password; all other sessions of the account ended',
  'account.second_factor': 'a member has turned the second factor on or off',
  'account.reset': 'password, second factor and sessions of a member were taken away by command',
  'account.link': 'a sign-in link was made at a start in development',
  'account.sign_out': 'a member has ended sessions of the account: all, one, or all others',
  'draft.save': 'the draft was saved, also by an import of the catalogue',
  'draft.discard': 'the draft was discarded',
  'picture.set': 'a SKU was given a thumbnail for the console',
  'picture.delete': 'the thumbnail of a SKU was taken away',
  'config.publish': 'a version was published',
  'config.roll_back': 'an older version was published again',
  'model.train': 'the models of predictions were trained, and put in force or refused',
  'model.roll_back': 'an older model of predictions was put in force again',
  'model.grade': 'a model of predictions lost or regained trust',
  'override.set': 'a flag of a player was set',
  'override.clear': 'a flag of a player was left to its rule again',
  'session.revoke': 'sessions of a player were ended by the studio',
  'event_type.register': 'a schema was registered as the next version of an event type',
  'event_type.retire': 'an event type was retired',
  'failed_event.replay': 'failed events were replayed; one entry for each transaction of a replay',
  'retention.delete': 'the events of a game before a day were given up for deletion',
  'signing_key.create': 'the first signing key was made',
  'signing_key.rotate': 'a new signing key was published',
  'signing_key.revoke': 'a signing key was withdrawn',
  'master_key.rotate': 'secrets were sealed under a new master key',
} as const;

export type AuditAction = keyof typeof AUDIT_ACTIONS;
