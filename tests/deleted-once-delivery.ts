/** Makers of what operations delete: environments and what belongs to deployments. */
import { type Maker, posted, type World } from './deleted-once-world.ts'

/** A stopped environment. */
async function stoppedEnvironment(world: World, prefix = ''): Promise<string> {
  const path = `${world.inProject}/environments`
  const { id } = await world.post(path, { name: `${prefix}${world.name()}` })
  await world.post(`${path}/${id}/stop`)
  return `${path}/${id}`
}

/** A deployment that has failed. */
async function failedDeployment(world: World): Promise<string> {
  const { body } = await world.root.get(`${world.inProject}/repository/commits/main`)
  const path = `${world.inProject}/deployments`
  const given = { environment: world.name(), ref: 'main', tag: false, sha: body.id, status: 'failed' }
  return `${path}/${(await world.post(path, given)).id}`
}

export const deliveryMakers: Readonly<Record<string, Maker>> = {
  'deployments.delete': failedDeployment,
  'freeze_periods.delete': posted(
    ({ inProject }) => `${inProject}/freeze_periods`,
    () => ({ freeze_start: '0 0 * * *', freeze_end: '0 1 * * *' }),
  ),
  'status_checks.delete': posted(
    ({ inProject }) => `${inProject}/external_status_checks`,
    (name) => ({ name, external_url: `https://${name}.example/` }),
  ),
  'environments.delete': (world) => stoppedEnvironment(world),
  'environments.delete_review_apps': async (world) => {
    await stoppedEnvironment(world, 'review/')
    return `${world.inProject}/environments/review_apps?dry_run=false&before=2100-01-01T00:00:00Z`
  },
}
