import { Text } from '@mantine/core';
import { countOf } from '../lib/format.js';
import { Moment, Person } from '../parts/texts.js';
import { useDraft } from './draft-context.js';

const MAX_SHOWN = 3;

/** Who else has the draft open, and what they did last: told before anybody saves. */
export function OtherEditors() {
  const { others } = useDraft();
  if (others.length === 0) return null;
  return (
    <div role="status" aria-label="Other editors">
      {others.slice(0, MAX_SHOWN).map(({ email, name, isYou, changedAt, savedAt }) => (
        <Text key={email} size="sm" c="orange">
          {isYou ? (
            'You have this draft open in another window'
          ) : (
            <>
              <Person name={name} email={email} /> has this draft open
            </>
          )}
          {changedAt !== null ? (
            <>
              , and changed it <Moment at={changedAt} />, not saved
            </>
          ) : (
            savedAt !== null && (
              <>
                , and saved it <Moment at={savedAt} />
              </>
            )
          )}
        </Text>
      ))}
      {others.length > MAX_SHOWN && (
        <Text size="sm" c="orange">
          and {countOf(others.length - MAX_SHOWN, 'other person', 'other people')}
        </Text>
      )}
    </div>
  );
}
