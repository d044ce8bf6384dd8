/** Makers of what operations delete: environments and what belongs to deployments. */
import { makeDeployment } from '../src/modules/pages/testing.ts'
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

/** A protected environment of a project, or tier of a group. */
const protection = (parent: (world: World) => string, name: (world: World) => string) => async (world: World) => {
  const path = `${parent(world)}/protected_environments`
  const given = { name: name(world), deploy_access_levels: [{ access_level: 40 }] }
  return `${path}/${(await world.post(path, given)).name}`
}

/** An integration that is set up. */
const integration = (parent: (world: World) => string) => async (world: World) => {
  const path = `${parent(world)}/integrations/external-wiki`
  await world.root.put(path, { external_wiki_url: 'https://wiki.example/' })
  return path
}

export const deliveryMakers: Readonly<Record<string, Maker>> = {
  'protected_environments.delete': protection(
    ({ inProject }) => inProject,
    (world) => world.name(),
  ),
  'group_protected_environments.delete': protection(
    ({ inGroup }) => inGroup,
    () => 'production',
  ),
  'project_integrations.delete': integration(({ inProject }) => inProject),
  'group_integrations.delete': integration(({ inGroup }) => inGroup),
  'pages.delete': async ({ server, inProject, project }) => {
    await makeDeployment(server, project.id)
    return `${inProject}/pages`
  },
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
