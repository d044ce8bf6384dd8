import {
  alertIntegrationsList,
  alertsList,
  alertsSeverityCounts,
  alertsStatusCounts,
  type ItemOf,
} from '../../operations.ts'
import { page, type Visit } from '../../page.ts'
import { Empty, Pages, Time, withQuery } from '../../parts/parts.tsx'
import { Bars } from '../../parts/plots.tsx'
import { words } from '../../parts/words.ts'
import { at } from './places.ts'

type Alert = ItemOf<typeof alertsList>

/** How urgent an alert is: a word, with a mark whose colour repeats it. */
export function Severity({ of }: { of: string }) {
  return <span class={`severity ${of}`}>{words(of)}</span>
}

function Row({ visit, alert }: { visit: Visit; alert: Alert }) {
  const { iid, title, severity, status, started_at, event_count: events, assignees, issue } = alert
  return (
    <li>
      <Severity of={severity} />
      <div class="grow">
        <a class="strong" href={at(visit, `/${iid}/details`)}>
          {title}
        </a>
        <p class="sub">
          {words(status)}
          {events > 1 && ` · ${events} events`}
          {assignees[0] && ` · ${assignees[0].name}`}
          {issue && (
            <>
              {' · '}
              <a href={issue.web_url}>Incident #{issue.iid}</a>
            </>
          )}
        </p>
      </div>
      <span class="meta when">
        <Time at={started_at} />
      </span>
    </li>
  )
}

const open = 'triggered,acknowledged'
const statuses = {
  open: ['Open', open],
  triggered: ['Triggered', 'triggered'],
  acknowledged: ['Acknowledged', 'acknowledged'],
  resolved: ['Resolved', 'resolved'],
  ignored: ['Ignored', 'ignored'],
  all: ['All', 'all'],
} as const

type Counts = Readonly<Record<string, number>>

/** Numbers by status and by severity. Each is a link to those alerts: the address is the filter. */
function FilterBar({ visit, byStatus, bySeverity }: { visit: Visit; byStatus: Counts; bySeverity: Counts }) {
  const { status = open, severity, search } = visit.query
  const to = (changes: Record<string, string | null>) => withQuery(visit.path, { page: null, ...changes })
  return (
    <search class="filter-bar">
      <nav class="choices" aria-label="Status">
        {Object.entries(statuses).map(([name, [label, value]]) => (
          <a href={to({ status: value === open ? null : value })} aria-current={value === status ? 'page' : undefined}>
            {label} <span class="count">{byStatus[name]}</span>
          </a>
        ))}
      </nav>
      <nav class="choices" aria-label="Severity">
        {Object.entries(bySeverity).map(([name, count]) => (
          <a
            href={to({ severity: name === severity ? null : name })}
            aria-current={name === severity ? 'page' : undefined}
          >
            <Severity of={name} /> <span class="count">{count}</span>
          </a>
        ))}
      </nav>
      <form class="filter" method="get">
        {visit.query.status && <input type="hidden" name="status" value={status} />}
        {severity && <input type="hidden" name="severity" value={severity} />}
        <input type="search" name="search" value={search ?? ''} placeholder="Search" aria-label="Search alerts" />
      </form>
    </search>
  )
}

/** The alerts of a project, open ones unless the address says otherwise. */
export const alerts = page({
  at: 'project',
  path: 'alert_management',
  nav: { section: 'Deploy', label: 'Alerts', operation: alertsList },
  async show(visit) {
    const { id } = visit.project
    const { status = open, severity, search } = visit.query
    const chosen = { ...(status !== 'all' && { status: status.split(',') }), ...(search && { search }) }
    const filter = { id, ...chosen, ...(severity && { severity: severity.split(',') }), page: visit.number }
    const [found, byStatus, bySeverity, maySetUp] = await Promise.all([
      // Words that are none are refused by the operation.
      visit.read(alertsList, filter as never),
      visit.read(alertsStatusCounts, { id, ...(search && { search }) }),
      visit.read(alertsSeverityCounts, { id, ...chosen } as never),
      visit.may(alertIntegrationsList, { id }),
    ])
    const setUp = at(visit, '/integrations')
    return {
      title: 'Alerts',
      actions: maySetUp && (
        <a class="button" href={setUp}>
          Integrations
        </a>
      ),
      body: (
        <div class="derived">
          <FilterBar visit={visit} byStatus={byStatus} bySeverity={bySeverity} />
          {byStatus.all === 0 && !search && (
            <Empty title="No alerts yet.">
              <p>Monitoring tools send alerts here, which open incidents.</p>
              {maySetUp && (
                <p>
                  <a href={setUp}>Set up an integration</a>
                </p>
              )}
            </Empty>
          )}
          {found.items.length === 0 && (byStatus.all > 0 || search) && <Empty title="No alerts match." />}
          <ul class="rows">
            {found.items.map((alert) => (
              <Row visit={visit} alert={alert} />
            ))}
          </ul>
          <Pages path={visit.path} page={visit.number} of={found} />
          {byStatus.all > 0 && (
            <section>
              <h2>By severity</h2>
              <Bars
                label="Alerts by severity"
                counts={Object.entries(bySeverity).map(([name, count]) => [words(name), count])}
              />
            </section>
          )}
        </div>
      ),
    }
  },
})
