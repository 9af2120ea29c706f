import { Alert, Anchor, Switch, Text, Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useStudioAndGame } from '../api/hooks.js';
import { useOriginals } from '../api/use-originals.js';
import { formatAmounts } from '../lib/format.js';
import {
  type Amounts,
  currenciesOf,
  hasOriginals,
  missingCurrencies,
  missingText,
  moneyText,
  type ReportedFigure,
} from '../lib/money.js';

/** A figure of money in the reporting currency. The currencies it was paid in are on hover, or in its place if the switch says so. */
export function Money({
  paid,
  reported,
  isShort = false,
}: {
  paid: Amounts;
  reported: ReportedFigure | null;
  /** Says what is missing only by a mark, where a note beside the figures says it in words. */
  isShort?: boolean;
}) {
  const [isOriginal] = useOriginals();
  if (reported === null || isOriginal) return <>{formatAmounts(paid)}</>;
  const missing = missingText(reported.missing);
  const text = moneyText(paid, reported);
  const figure = isShort && missing !== '' ? `${text}*` : text;
  const label = [formatAmounts(paid), ...(missing === '' ? [] : [missing])].join('; ');
  return (
    <>
      {hasOriginals(paid, reported) ? (
        <Tooltip label={label} multiline maw={320} withArrow>
          <span>{figure}</span>
        </Tooltip>
      ) : (
        figure
      )}
      {!isShort && missing !== '' && (
        <Text span size="xs" c="orange" display="block">
          {missing}
        </Text>
      )}
    </>
  );
}

/** For pages with figures of money, where they may be shown as they were paid. */
export function OriginalsSwitch() {
  const [isOriginal, setOriginal] = useOriginals();
  return (
    <Switch
      size="xs"
      label="Original currencies"
      checked={isOriginal}
      onChange={({ currentTarget }) => setOriginal(currentTarget.checked)}
    />
  );
}

type MoneyRow = { revenue: Amounts; reported: { missing: Amounts } | null };

/** What keeps the figures of a page from being one number: no reporting currency, or no rate. Nothing where all is well. */
export function MoneyNote({ rows }: { rows: readonly MoneyRow[] }) {
  const params = useStudioAndGame();
  const currencies = currenciesOf(rows);
  const missing = missingCurrencies(rows.map(({ reported }) => reported));
  const isUnset = rows.length > 0 && rows.every(({ reported }) => reported === null);
  if (missing.length === 0 && !(isUnset && currencies.length > 1)) return null;
  return (
    <Alert color={isUnset ? 'blue' : 'orange'} variant="light" p="xs">
      {isUnset
        ? `Players pay in ${currencies.length} currencies. `
        : `Some payments in ${missing.join(', ')} are not in these figures: no exchange rate holds on their days. `}
      <Anchor
        size="sm"
        c="inherit"
        underline="always"
        renderRoot={(props) => (
          <Link {...props} to="/$studio/$game/settings" params={params} search={{ tab: 'rates' }} />
        )}
      >
        {isUnset ? 'Choose a reporting currency to see one number' : 'Add the rates'}
      </Anchor>
    </Alert>
  );
}
