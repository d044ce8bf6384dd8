import {
  resourceGroupsCurrentJob,
  resourceGroupsGet,
  resourceGroupsList,
  resourceGroupsUpcomingJobs,
  resourceGroupsUpdate,
} from '../../operations.ts'
import { page, type Visit } from '../../page.ts'
import { pathOfUrl } from '../../parts/discussion/index.ts'
import { Field, Form } from '../../parts/form.tsx'
import { Empty, Pages, Status, Time } from '../../parts/parts.tsx'
import { words } from '../../parts/words.ts'
import { at } from '../code/places.ts'

type Job = { web_url: string; name: string; status: string; ref: string; created_at: string }

function Jobs({ jobs }: { jobs: readonly Job[] }) {
  return (
    <ul class="rows">
      {jobs.map((job) => (
        <li>
          <Status status={job.status} />
          <a class="grow" href={pathOfUrl(job.web_url)}>
            {job.name} · {job.ref}
          </a>
          <span class="meta when">
            <Time at={job.created_at} />
          </span>
        </li>
      ))}
    </ul>
  )
}

/** The resources of a project that jobs use one after another. */
export const resourceGroups = page({
  at: 'project',
  path: 'resource_groups',
  nav: { section: 'Build', label: 'Resource groups', operation: resourceGroupsList },
  async show(visit) {
    const found = await visit.read(resourceGroupsList, { id: visit.project.id, page: visit.number })
    return {
      title: 'Resource groups',
      body: (
        <div class="derived">
          {found.items.length === 0 && (
            <Empty title="No resource groups yet.">
              <p>
                Jobs with the same <code>resource_group</code> in <code>.gitlab-ci.yml</code> run one after another.
              </p>
            </Empty>
          )}
          <ul class="rows">
            {found.items.map(({ key, process_mode: mode }) => (
              <li>
                <a class="strong grow" href={at(visit, `resource_groups/${encodeURIComponent(key)}`)}>
                  {key}
                </a>
                <span class="soft">{words(mode)}</span>
              </li>
            ))}
          </ul>
          <Pages path={visit.path} page={visit.number} of={found} />
        </div>
      ),
    }
  },
})

const callOf = (visit: Visit) => ({ id: visit.project.id, key: visit.params.key ?? '' })

/** A resource group: the job that has it, those that wait for it, and their order. */
export const resourceGroup = page({
  at: 'project',
  path: 'resource_groups/:key',
  performs: [resourceGroupsUpdate],
  async show(visit) {
    const call = callOf(visit)
    const one = await visit.read(resourceGroupsGet, call)
    const [current, upcoming, mayChange] = await Promise.all([
      visit.read(resourceGroupsCurrentJob, call),
      visit.read(resourceGroupsUpcomingJobs, { ...call, page: visit.number }),
      visit.may(resourceGroupsUpdate, call),
    ])
    return {
      title: one.key,
      crumbs: [['Resource groups', at(visit, 'resource_groups')]],
      body: (
        <div class="derived">
          {mayChange && (
            <Form visit={visit} performs={resourceGroupsUpdate} call={call} class="stack">
              <Field
                visit={visit}
                operation={resourceGroupsUpdate}
                name="process_mode"
                options={{ value: one.process_mode, label: 'Order' }}
              />
              <button>Save</button>
            </Form>
          )}
          <h2>Has it now</h2>
          {current ? <Jobs jobs={[current]} /> : <p class="soft">No job.</p>}
          <h2>Next</h2>
          {upcoming.items.length === 0 ? <p class="soft">No job waits.</p> : <Jobs jobs={upcoming.items} />}
          <Pages path={visit.path} page={visit.number} of={upcoming} />
        </div>
      ),
    }
  },
})
