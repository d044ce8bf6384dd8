import { manualClock } from '../../infra/clock/index.ts'
import { makePeople, projectWithMembers, startTestServer } from '../../testing/index.ts'

/** Starts a server, with people of which each project has one in every role. */
export async function startWithEnvironments() {
  const clock = manualClock({ start: '2026-03-01T12:00:00.000Z' })
  const server = await startTestServer({ clock })
  const people = await makePeople(server)
  let count = 0

  /** A project without environments; `base` is its address. */
  async function made(visibility: 'private' | 'public' = 'private') {
    count += 1
    const { project } = await projectWithMembers(server, { people, path: `deployed-${count}`, visibility })
    const base = `/projects/${project.id}`
    return { project, base, environments: `${base}/environments` }
  }

  return { server, clock, ...people, made }
}
