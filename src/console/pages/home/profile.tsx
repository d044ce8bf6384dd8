import { notFound } from '../../../api/index.ts'
import { eventsOfUser, projectsOfUser, usersList } from '../../operations.ts'
import { page } from '../../page.ts'
import { Empty, Pages } from '../../parts/parts.tsx'
import { Activity, Projects } from './lists.tsx'

/** A user: the projects of the own namespace, and the latest activities. */
export const profile = page({
  at: 'instance',
  path: 'users/:username',
  async show(visit) {
    const { username = '' } = visit.params
    const [user] = (await visit.read(usersList, { username })).items
    if (!user) throw notFound('User')
    const [projects, events] = await Promise.all([
      visit.find(projectsOfUser, { id_or_username: user.id, order_by: 'last_activity_at', page: visit.number }),
      visit.find(eventsOfUser, { id_or_username: user.id, per_page: 20 }),
    ])
    const activities = events?.items ?? []
    return {
      title: user.name,
      body: (
        <div class="two">
          <div>
            <p class="lead">@{user.username}</p>
            {projects && projects.items.length > 0 ? (
              <Projects items={projects.items} />
            ) : (
              <Empty title="No projects that you may see." />
            )}
            {projects && <Pages path={visit.path} page={visit.number} of={projects} />}
          </div>
          <aside>
            <section>
              <h2>Activity</h2>
              {activities.length > 0 ? <Activity events={activities} /> : <p class="soft">None that you may see.</p>}
            </section>
          </aside>
        </div>
      ),
    }
  },
})
