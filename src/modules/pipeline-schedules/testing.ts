import { type ManualClock, manualClock } from '../../infra/clock/index.ts'
import { imported, importStream, type Person, startTestServer } from '../../testing/index.ts'

const config = 'job:\n  script: echo\n'

/** A server whose clock is driven, and a project with a configuration, a tag `v1` and members of several roles. */
export async function startWithSchedules(start = '2026-03-01T12:00:00.000Z') {
  const clock: ManualClock = manualClock({ start })
  const server = await startTestServer({ clock })
  const owner = await server.user('owner')
  const roles = { maintainer: 40, developer: 30, reporter: 20, guest: 10 } as const
  const people = Object.fromEntries(
    await Promise.all(Object.keys(roles).map(async (name) => [name, await server.user(name)] as const)),
  ) as Record<keyof typeof roles, Person>
  let made = 0

  /** A project with these files on `main` and `topic`. */
  async function projectWith(files: Record<string, string> = { '.gitlab-ci.yml': config }) {
    made += 1
    const list = Object.entries(files).map(([name, text]) => ['100644', name, text] as [string, string, string])
    const commit = (branch: string) => ({ message: `on ${branch}`, branch, files: list })
    const project = await imported(server, owner, `scheduled-${made}`, importStream([commit('main'), commit('topic')]))
    for (const [name, level] of Object.entries(roles)) {
      await server.make.member({ project }, people[name as keyof typeof roles], level)
    }
    return { project, base: `/projects/${project.id}`, path: `/projects/${project.id}/pipeline_schedules` }
  }

  return { server, clock, owner, ...people, projectWith }
}

export const newSchedule = { description: 'nightly', ref: 'main', cron: '0 1 * * *' }
