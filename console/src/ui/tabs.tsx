import { Link } from 'react-router';
import { useCurrentInView } from './current-in-view.ts';
import { formatCount } from './format.ts';
import './tabs.css';

interface TabsProps<Id extends string> {
  label: string;
  tabs: readonly { id: Id; title: string; count?: number | undefined }[];
  selected: Id;
  /** The address of a tab: tabs are links, so that back and reload keep them. */
  hrefOf: (id: Id) => string;
}

export function Tabs<Id extends string>({ label, tabs, selected, hrefOf }: TabsProps<Id>) {
  const counted = tabs.filter(({ count }) => count !== undefined).length; // they widen the tabs when they arrive
  const links = useCurrentInView(`${selected} ${counted}`);
  return (
    <nav aria-label={label} className="tabs" ref={links}>
      {tabs.map(({ id, title, count }) => (
        <Link
          key={id}
          to={hrefOf(id)}
          className="tab"
          {...(id === selected ? { 'aria-current': 'page' } : {})}
        >
          {title} {count !== undefined && <span className="tab-count">{formatCount(count)}</span>}
        </Link>
      ))}
    </nav>
  );
}
