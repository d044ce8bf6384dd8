import { signInAddress } from '../../frame/addresses.ts'
import { eventsList, named, projectsList } from '../../operations.ts'
import { page, type Visit } from '../../page.ts'
import { Empty, Pages } from '../../parts/parts.tsx'
import { Activity, Projects } from './lists.tsx'

const create = named('projects.create')

function NoProjects({ me }: Pick<Visit, 'me'>) {
  if (!me) {
    return (
      <Empty title="No project is open to everybody here.">
        <p>
          <a href={signInAddress('/')}>Sign in</a> to see those that are open to you.
        </p>
      </Empty>
    )
  }
  return (
    <Empty title="No projects yet.">
      <p>
        <a href="/projects/new">Create a project</a>, push to <code>/{me.username}/new-project.git</code>, which creates
        one, or ask the owner of a project to add you.
      </p>
    </Empty>
  )
}

/** The projects of the caller with the latest activities; for callers who are not signed in, all that are open. */
export const dashboard = page({
  at: 'instance',
  path: '',
  nav: { section: '', label: 'Projects', operation: projectsList },
  async show(visit) {
    const { me, number } = visit
    const listed = { order_by: 'last_activity_at', page: number, ...(me && { membership: true }) } as const
    const [found, events, mayCreate] = await Promise.all([
      visit.read(projectsList, listed),
      me ? visit.find(eventsList, { per_page: 8 }) : null,
      me ? visit.may(create, {}) : false,
    ])
    const title = me ? 'Your projects' : 'Projects'
    if (found.items.length === 0) return { title, body: <NoProjects me={me} /> }
    const activities = events?.items ?? []
    return {
      title,
      actions: mayCreate && (
        <>
          <a class="button" href="/projects/import">
            Import
          </a>
          <a class="button primary" href="/projects/new">
            New project
          </a>
        </>
      ),
      body: (
        <div class={activities.length > 0 ? 'two' : undefined}>
          <div>
            <Projects items={found.items} />
            <Pages path={visit.path} page={number} of={found} />
          </div>
          {activities.length > 0 && (
            <aside>
              <section>
                <h2>Your activity</h2>
                <Activity events={activities} />
              </section>
            </aside>
          )}
        </div>
      ),
    }
  },
})
