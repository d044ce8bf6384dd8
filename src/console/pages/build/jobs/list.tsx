import { jobsList, type ListedJob } from '../../../operations.ts'
import { page, type Visit } from '../../../page.ts'
import { duration, Empty, Pages, Status, Time } from '../../../parts/parts.tsx'
import { at } from '../../code/places.ts'
import { isBusy } from '../statuses.ts'

const views: readonly (readonly [name: string, label: string, scope: readonly string[]])[] = [
  ['', 'All', []],
  ['pending', 'Waiting', ['created', 'pending', 'waiting_for_resource', 'preparing', 'scheduled']],
  ['running', 'Running', ['running', 'canceling']],
  ['failed', 'Failed', ['failed']],
  ['manual', 'Manual', ['manual']],
  ['finished', 'Finished', ['success', 'failed', 'canceled', 'skipped']],
]

function Row({ visit, job }: { visit: Visit; job: ListedJob }) {
  const href = at(visit, `jobs/${job.id}`)
  return (
    <li>
      <span class="state">
        <Status status={job.status} href={href} />
      </span>
      <div class="grow">
        <a class="strong" href={href}>
          {job.name}
        </a>
        <p class="sub">
          {job.stage} · <a href={at(visit, `pipelines/${job.pipeline.id}`)}>#{job.pipeline.id}</a> · {job.ref}
          {job.commit && ` · ${job.commit.title}`}
        </p>
      </div>
      <span class="meta">{duration(job.duration)}</span>
      <span class="meta when">
        <Time at={job.created_at} />
      </span>
    </li>
  )
}

/** The jobs of all pipelines, newest first. */
export const jobs = page({
  at: 'project',
  path: 'jobs',
  nav: { section: 'Build', label: 'Jobs', operation: jobsList },
  async show(visit) {
    const [name, , scope] = views.find(([view]) => view === visit.query.status) ?? ['', '', []]
    const call = { id: visit.project.id, page: visit.number, ...(scope.length > 0 && { scope: [...scope] }) }
    const found = await visit.read(jobsList, call)
    return {
      title: 'Jobs',
      refreshes: found.items.some(({ status }) => isBusy(status)),
      body: (
        <div>
          <nav class="tabs build-tabs" aria-label="Which">
            {views.map(([view, label]) => (
              <a
                href={view === '' ? at(visit, 'jobs') : `${at(visit, 'jobs')}?status=${view}`}
                aria-current={view === name ? 'page' : undefined}
              >
                {label}
              </a>
            ))}
          </nav>
          <div id="jobs" data-live="">
            {found.items.length === 0 && (
              <Empty title={name === '' ? 'No jobs yet.' : 'No job is in this state.'}>
                {name === '' && <p>The jobs of pipelines appear here.</p>}
              </Empty>
            )}
            <ul class="rows builds">
              {found.items.map((job) => (
                <Row visit={visit} job={job} />
              ))}
            </ul>
          </div>
          <Pages path={visit.path} page={visit.number} of={found} />
        </div>
      ),
    }
  },
})
