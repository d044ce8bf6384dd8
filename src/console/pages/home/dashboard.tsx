import { eventsList, projectsList } from '../../operations.ts'
import { page, type Visit } from '../../page.ts'
import { Empty, Pages } from '../../parts/parts.tsx'
import { Activity, Projects } from './lists.tsx'

function NoProjects({ me }: Pick<Visit, 'me'>) {
  if (!me) return <Empty title="No project is open to everybody here." />
  return (
    <Empty title="No projects yet.">
      <p>
        Push to <code>/{me.username}/new-project.git</code>, which creates the project, or ask the owner of a project to
        add you.
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
    const [found, events] = await Promise.all([
      visit.read(projectsList, listed),
      me ? visit.find(eventsList, { per_page: 8 }) : null,
    ])
    const title = me ? 'Your projects' : 'Projects'
    if (found.items.length === 0) return { title, body: <NoProjects me={me} /> }
    const activities = events?.items ?? []
    return {
      title,
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
