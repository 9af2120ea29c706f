import { expect, it } from 'vitest';
import { settingTopics } from '../../../src/platform/settings/setting-topics.js';
import { SETTINGS } from '../../../src/platform/settings/settings.js';

it('every setting stands in one topic, the ten that matter in the first', () => {
  const topics = settingTopics();
  expect(topics.map(({ title }) => title)).toEqual([
    'First',
    'Operations listener',
    'Backups and files of events',
    'Stores',
    'The service at work',
    'Rate limits',
    'Tokens',
    'Web games and proxies',
    'Logs and traces',
    'Database',
    'Queue',
  ]);
  expect(topics[0]?.settings).toHaveLength(10);
  const names = topics.flatMap(({ settings }) => settings.map(({ name }) => name));
  expect(names.toSorted()).toEqual(SETTINGS.map(({ name }) => name).toSorted());
});
