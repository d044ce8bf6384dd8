/** Makers of what operations delete: environments and what belongs to deployments. */
import { type Maker, posted, type World } from './deleted-once-world.ts'

const named = (name: string) => ({ name })
const below = (path: string) => (world: World) => `${world.inProject}/${path}`

/** A stopped environment. */
async function stoppedEnvironment(world: World, prefix = ''): Promise<string> {
  const path = await posted(below('environments'), (name) => named(`${prefix}${name}`))(world)
  await world.post(`${path}/stop`)
  return path
}

export const deliveryMakers: Readonly<Record<string, Maker>> = {
  'environments.delete': (world) => stoppedEnvironment(world),
  'environments.delete_review_apps': async (world) => {
    await stoppedEnvironment(world, 'review/')
    return `${world.inProject}/environments/review_apps?dry_run=false&before=2100-01-01T00:00:00Z`
  },
}
