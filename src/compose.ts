import { type Authenticator, createRateCounter, type Operation, openapiOperation } from './api/index.ts'
import type { Floor } from './floor.ts'
import { now } from './infra/database/index.ts'
import { loadInstanceKey, openSealer } from './infra/secrets/index.ts'
import { branchOperations, createBranches } from './modules/branches/index.ts'
import { createGitHttp, type GitAccessNeeds, gitAccess, gitAuthentication } from './modules/git-transport/index.ts'
import { createGroupModule, groupSubject } from './modules/groups/index.ts'
import { createKeys, defaultKeyPolicy, keyOperations } from './modules/keys/index.ts'
import {
  createMemberLists,
  createMembers,
  inheritedLevels,
  memberOperations,
  namespaceRoles,
} from './modules/members/index.ts'
import { metadataOperations } from './modules/metadata/index.ts'
import { createNamespaces, namespaceOperations } from './modules/namespaces/index.ts'
import { createOauth, oauthOperations } from './modules/oauth/index.ts'
import {
  createProjectLifecycleModule,
  createProjectModule,
  defaultBranchListener,
  defaultBranchRule,
  namingRule,
  projectSubject,
  projectsOfGroup,
} from './modules/projects/index.ts'
import { createRemovedFiles } from './modules/repositories/index.ts'
import { settingsOperations } from './modules/settings/index.ts'
import { createAuthenticator, retireBots, tokenOperations } from './modules/tokens/index.ts'
import { createAvatars, createSignIn, createUsers, type SignIn } from './modules/users/index.ts'
import { createThrottles, type Throttles } from './throttling.ts'

/** What stands before a project's path in its address for git over SSH. */
function sshPrefixOf(externalUrl: string, port = 22): string {
  const { hostname } = new URL(externalUrl)
  return port === 22 ? `git@${hostname}:` : `ssh://git@${hostname}:${port}/`
}

/** What is made when somebody first asks for it, and then kept. */
function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}

type GitHttpParts = {
  authenticator: Authenticator
  signIn: SignIn
  createByPush: GitAccessNeeds['createByPush']
  throttles: Throttles
}

function composeGitHttp(floor: Floor, { authenticator, signIn, createByPush, throttles }: GitHttpParts) {
  const { log, clock, database, settings, repositories, externalUrl } = floor
  const policy = () => settings.current()
  return createGitHttp({
    externalUrl,
    identify: gitAuthentication({ database, clock, authenticator, signIn, policy }),
    admit: gitAccess({ database, clock, createByPush }),
    repositories,
    throttleAnonymous: throttles.anonymousGit,
    messagePrefix: 'GitLab: ',
    maxInputSizeBytes: async () => {
      const megabytes = (await settings.current()).receive_max_input_size
      return megabytes === null ? null : megabytes * 1024 * 1024
    },
    httpAllowed: async () => (await settings.current()).enabled_git_access_protocol !== 'ssh',
    log,
  })
}

/** Puts the modules together, each with what it needs, and returns what they offer. */
export function composeModules(floor: Floor) {
  const { config, log, clock, database, jobs, settings, repositories, gate, externalUrl } = floor
  const policy = () => settings.current()
  const defaultBranchName = async () => (await settings.current()).default_branch_name ?? 'main'
  const authenticator = createAuthenticator({ database, clock, policy })
  const signIn = createSignIn({ database, clock })
  const throttles = createThrottles(floor)
  const project = projectSubject({ database, clock, externalUrl })
  const group = groupSubject({ database, clock })
  gate.rules.push(defaultBranchRule({ database, planned: defaultBranchName }), namingRule)
  gate.listeners.push(defaultBranchListener({ database, clock, planned: defaultBranchName }))
  const branches = createBranches({ database, repositories, jobs, clock, externalUrl, defaultBranchName })
  const presentingUsers = async () => {
    const { gravatar_enabled: gravatar, commit_email_hostname: commitEmailHostname } = await settings.current()
    return { externalUrl, now: now(clock), gravatar, commitEmailHostname }
  }
  const memberLists = createMemberLists({ database, clock, presenting: presentingUsers })
  const members = createMembers({
    database,
    clock,
    lists: memberLists,
    listeners: [{ ending: (tx, place, { userId }) => retireBots(tx, place, [userId], { now: now(clock) }) }],
  })
  const avatars = createAvatars({ objects: floor.objects })
  const projects = createProjectModule({
    ...{ database, repositories, jobs, settings, clock, avatars, externalUrl, defaultBranchName, project, group },
    presentingUsers,
    sshPrefix: sshPrefixOf(externalUrl, config.sshListen?.port),
    registryHost: config.registryUrl && new URL(config.registryUrl).host,
    sealer: lazily(async () => {
      return openSealer(await loadInstanceKey({ dataFolder: config.data, configured: config.secretKey }))
    }),
    random: Math.random,
  })
  const removedFiles = createRemovedFiles({
    ...{ database, git: floor.git, jobs, clock, storages: Object.keys(config.storages) },
  })
  const groups = createGroupModule({
    ...{ database, clock, jobs, settings, avatars, externalUrl, group },
    projects: projectsOfGroup({ lists: projects.lists, database, clock }),
    removeProject: (id) => projectLifecycle.removeProject(id),
    retireBots,
  })
  const projectLifecycle = createProjectLifecycleModule({
    ...{ database, clock, jobs, git: floor.git, repositories, settings, avatars, removedFiles, retireBots },
    ...{ presenter: projects.presenter, lists: projects.lists, presentingUsers, externalUrl, project, group },
    groupAnswer: { schema: groups.detail, present: groups.presenting.detailOf },
  })
  const users = createUsers({
    database,
    clock,
    jobs,
    settings,
    avatars,
    externalUrl,
    log,
    presenting: presentingUsers,
    rateCounter: createRateCounter(database, clock),
    removeProjectsOf: projectLifecycle.removeProjectsOf,
    removeGroup: groups.removeGroup,
    contributions: [projectLifecycle.removeStars],
  })
  const namespaces = createNamespaces({ database, clock, externalUrl, namespaceRoles, inheritedLevels })
  const oauth = createOauth({ database, clock, signIn, policy })
  const gitHttp = composeGitHttp(floor, {
    authenticator,
    signIn,
    createByPush: projects.creation.createByPush,
    throttles,
  })
  const operations: Operation[] = [
    ...users.operations,
    ...oauthOperations({ oauth }),
    ...metadataOperations({ version: config.version }),
    ...settingsOperations({ settings }),
    ...namespaceOperations({ namespaces }),
    ...groups.operations,
    ...projects.operations,
    ...projectLifecycle.operations,
    ...branchOperations({ branches, project }),
    ...memberOperations({ members, lists: memberLists, group, project }),
    ...tokenOperations({ database, clock, externalUrl, rules: policy, project, group }),
    ...keyOperations({ keys: createKeys({ database, clock, keyPolicy: defaultKeyPolicy, rules: policy }) }),
  ]
  operations.push(openapiOperation({ operations: () => operations, externalUrl, version: config.version }))
  return { operations, authenticator, gitHttp, throttles }
}
