import { joinsOfKey } from './modules/deploy-keys/index.ts'
import { removeGroup } from './modules/groups/index.ts'
import { lfsContent } from './modules/lfs/index.ts'
import { pipelinesOfCommits } from './modules/pipelines/index.ts'
import { releasesOfTags } from './modules/releases/index.ts'
import { authenticate, impersonate } from './modules/tokens/index.ts'
import { rootAccount as rootAccountOfUsers } from './modules/users/index.ts'
import type { Ports, RootAccount } from './platform/index.ts'

/** Questions that modules of the old shape answer; `compose/places.ts` adds their functions. */
type OldShape = 'groups.projects' | 'groups.remove_project' | 'users.remove_projects'

/** Who answers what lower modules ask of higher ones: one function for each question. */
export const ports: Omit<Ports, OldShape> = {
  'request.authenticate': authenticate,
  'request.impersonate': impersonate,
  'users.remove_group': removeGroup,
  'keys.deploy_key_projects': ({ database }, keyId) => joinsOfKey(database.read, keyId),
  // Merge requests and OpenPGP keys do not exist yet.
  'commits.introduced_by': async () => new Map(),
  'commits.merge_requests': async () => ({ items: [], total: 0, hasNext: false }),
  'commits.pgp_verification': async () => null,
  'commits.pipelines': pipelinesOfCommits,
  'tags.releases': releasesOfTags,
  'files.lfs_content': lfsContent,
}

/** Creates the account of the first start. */
export const rootAccount: RootAccount = rootAccountOfUsers
