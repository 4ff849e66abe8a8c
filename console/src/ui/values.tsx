import { useEffect, useState } from 'react';
import { CopyButton } from './copy-button.tsx';
import {
  formatAge,
  formatExactMoney,
  formatMoment,
  formatMoney,
  formatUtc,
  groupsOf,
  partsOfMoment,
  shortened,
} from './format.ts';
import { inLanguage } from './language.ts';
import { useClockLead, useIsClockMoved } from './service-clock.ts';
import './values.css';

const AGE_REFRESH_MS = 30_000;
const T = inLanguage({ real: ['(real time)', '(echte Zeit)'] });

interface MoneyProps {
  amount: string;
  currency?: string;
  /** The currency that shows on hover only, because the page shows it elsewhere; by default USDC. */
  hoverCurrency?: string;
  /** With all its places, as for an amount that is paid. */
  isExact?: boolean;
}

/** An amount with two places, unless it has to be exact; its full precision on hover. */
export function Money({ amount, currency, hoverCurrency = 'USDC', isExact }: MoneyProps) {
  return (
    <span className="money" title={`${amount} ${currency ?? hoverCurrency}`}>
      {isExact ? formatExactMoney(amount) : formatMoney(amount)}
      {currency && <span className="unit"> {currency}</span>}
    </span>
  );
}

interface MomentProps {
  at: string;
  /** A time of the real clock, such as that of a session; others are of the service's clock, which the sandbox moves. */
  isReal?: boolean;
}

/** A time in the local zone; in UTC on hover. */
export function Moment({ at, isReal }: MomentProps) {
  const [day, time] = partsOfMoment(at);
  const isMarked = useIsClockMoved() && isReal;
  return (
    <time dateTime={at} title={formatUtc(at)}>
      <span>{day}</span> <span>{time}</span>
      {isMarked && <span> {T.real}</span>}
    </time>
  );
}

/** The time since then by the service's clock; the exact time on hover. */
export function Age({ since }: { since: string }) {
  const [now, setNow] = useState(Date.now);
  const lead = useClockLead();
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), AGE_REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={since} title={`${formatMoment(since)} (${formatUtc(since)})`}>
      {formatAge(since, now + lead)}
    </time>
  );
}

/** An address or a hash, whole and in groups of four, with a button that copies it. */
export function Grouped({ value, label }: { value: string; label: string }) {
  return (
    <span className="grouped">
      <span className="grouped-text">
        <span className="visually-hidden">{value}</span>
        {groupsOf(value).map((group, index) => (
          <span key={index} aria-hidden className={index % 2 ? 'group odd' : 'group'}>
            {group}
          </span>
        ))}
      </span>
      <CopyButton value={value} label={label} />
    </span>
  );
}

/** The beginning and the end of an address or a hash; the whole one on hover. */
export function Shortened({ value }: { value: string }) {
  return (
    <span className="shortened" title={value}>
      {shortened(value)}
    </span>
  );
}
