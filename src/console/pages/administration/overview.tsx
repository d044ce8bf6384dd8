import type { Html } from '../../html/index.ts'
import {
  applicationStatistics,
  backgroundQueuesList,
  backupsList,
  named,
  serverLoad,
  serverReadiness,
  serverSpace,
  signInStatistics,
  storageStatistics,
} from '../../operations.ts'
import { page, type Visit } from '../../page.ts'
import { Icon } from '../../parts/parts.tsx'
import { Bars } from '../../parts/plots.tsx'
import { Stacks } from '../../parts/stacks.tsx'
import { size, words } from '../../parts/words.ts'
import { type Finding, findingsOf, type SiteHealth, summaryOf } from './findings.ts'
import { LoadPlots } from './load.tsx'

const sitesList = named('geo_sites.list')
const siteStatuses = named('geo_sites.statuses')

type Listed<Item> = { items: readonly Item[] } | null
type Site = { id: number; name: string; primary: boolean }
type Status = { geo_node_id: number; healthy: boolean; health: string; db_replication_lag_seconds: number | null }

/** The replication sites that have reported. A site that has not is not asked for: it may be about to be made. */
async function sitesOf(visit: Visit): Promise<SiteHealth[]> {
  const sites = (await visit.find(sitesList, { per_page: 100 })) as Listed<Site>
  if (!sites || sites.items.length === 0) return []
  const statuses = (await visit.find(siteStatuses, { per_page: 100 })) as Listed<Status>
  return (statuses?.items ?? []).map(({ geo_node_id: id, healthy, health, db_replication_lag_seconds: lagSeconds }) => {
    const name = sites.items.find((site) => site.id === id)?.name ?? String(id)
    return { name, id, healthy, health, lagSeconds }
  })
}

const icons = {
  well: ['done', 'In order'],
  watch: ['waiting', 'To be watched'],
  bad: ['failed', 'Not in order'],
} as const

function Findings({ findings }: { findings: readonly Finding[] }): Html {
  return (
    <section>
      <p class="lead">{summaryOf(findings)}</p>
      <ul class="rows findings">
        {findings.map(({ state, sentence, href, act }) => (
          <li class={state}>
            <Icon name={icons[state][0]} label={icons[state][1]} />
            <span>{sentence}</span>
            <a href={href}>{act}</a>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** The state of the server in words, its load, and what it holds. */
export const administration = page({
  at: 'instance',
  path: 'admin',
  nav: { section: 'Instance', label: 'Overview', operation: applicationStatistics },
  async show(visit) {
    const counts = await visit.read(applicationStatistics, {})
    const [readiness, queues, spaces, backups, load, signIns, stored, sites] = await Promise.all([
      visit.find(serverReadiness, {}),
      visit.find(backgroundQueuesList, {}),
      visit.find(serverSpace, {}),
      visit.find(backupsList, { per_page: 1 }),
      visit.find(serverLoad, {}),
      visit.find(signInStatistics, {}),
      visit.find(storageStatistics, {}),
      sitesOf(visit),
    ])
    const backup = backups?.items[0] ?? null
    const findings = findingsOf({ nowMs: visit.now.getTime(), readiness, queues, spaces, backup, sites })
    const pairs = Object.entries(counts).map(
      ([name, count]) => [words(name), Number(String(count).replaceAll(',', ''))] as const,
    )
    const waiting = (queues ?? []).filter(({ pending, running, failed }) => pending + running + failed > 0)
    return {
      title: 'Administration',
      body: (
        <div class="derived overview">
          <Findings findings={findings} />
          <section>
            <h2>The last four hours</h2>
            <LoadPlots samples={load ?? []} />
          </section>
          {waiting.length > 0 && (
            <section>
              <h2>Jobs that wait, run or have failed</h2>
              <Bars
                label="Jobs by queue"
                counts={waiting.map(({ name, pending, running, failed }) => [name, pending + running + failed])}
              />
            </section>
          )}
          <section>
            <h2>Latest sign-ins</h2>
            <p class="sub">Users by the day of their latest sign-in</p>
            <Stacks
              label="Users by the day of their latest sign-in"
              kinds={['Users']}
              columns={(signIns ?? []).map(({ day, users }) => ({ name: day, parts: [users] }))}
            />
          </section>
          <section>
            <h2>Storage of all projects</h2>
            <Bars
              label="Storage by kind"
              counts={Object.entries(stored ?? {}).map(([name, bytes]) => [words(name), bytes])}
              shown={size}
            />
          </section>
          <section>
            <h2>Objects</h2>
            <Bars label="Objects of the instance" counts={pairs} />
          </section>
        </div>
      ),
    }
  },
})
