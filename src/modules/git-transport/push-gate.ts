import { DatabaseUnavailable } from '../../infra/database/index.ts'
import type { PushGate } from '../../infra/git/index.ts'
import type { Platform } from '../../platform/index.ts'
import { pushGate } from '../../platform/repositories/index.ts'
import { admit, type GitAccess } from './access/admission.ts'
import type { GitCaller } from './access/callers.ts'
import { sentenceOf, sentences } from './access/refusals.ts'

/** Builds the address of a project for the transport in use. */
type RemoteUrl = (fullPath: string) => string

/** Precedes the sentences of a refusal (contract 01). */
const refusalPrefix = 'GitLab: '

/** The largest accepted pack by the settings, in bytes; undefined for no limit. */
export async function maxInputSizeBytes({ settings }: Platform): Promise<number | undefined> {
  const { receive_max_input_size: megabytes } = await settings.current()
  return megabytes === null ? undefined : megabytes * 1024 * 1024
}

/** Message for pushes to a renamed project's old path (contract 22 R6). */
function movedNotice({ fullPath, movedFrom }: GitAccess, remoteUrl: RemoteUrl): string[] {
  if (movedFrom === null) return []
  return [
    `Project '${movedFrom}' was moved to '${fullPath}'.`,
    '',
    'Please update your Git remote:',
    '',
    `  git remote set-url origin ${remoteUrl(fullPath)}`,
  ]
}

/** Message for the push that created its project (contract 22 R6). */
function createdNotice({ project, row }: GitAccess, remoteUrl: RemoteUrl, externalUrl: string): string[] {
  if (!project?.created_by_push || row.kind !== 'project' || row.generation > 1) return []
  return [
    `The private project ${project.full_path} was successfully created.`,
    '',
    'To configure the remote, run:',
    `  git remote add origin ${remoteUrl(project.full_path)}`,
    '',
    'To view the project, visit:',
    `  ${externalUrl}/${project.full_path}`,
  ]
}

/** The maximal number of notices of hidden refs. Git's report names each of them, and a mirror may have thousands. */
const maximumHiddenNotices = 10

/** Why the push is no longer allowed: a pack takes long to arrive, and rights may end meanwhile. */
async function refusedSince(platform: Platform, access: GitAccess, caller: GitCaller): Promise<string[] | null> {
  const again = await admit(platform, access.fullPath, caller, 'git-receive-pack', { isAgain: true })
  if ('kind' in again) return [sentenceOf(again)]
  return again.row.id === access.row.id ? null : [sentences.notFound]
}

/**
 * The gate of one push, with messages in the form in which git shows them.
 * @returns `finish` has to be called when the push has ended
 */
export function pushGateOf(platform: Platform, access: GitAccess, caller: GitCaller, remoteUrl: RemoteUrl) {
  const { userId, deployKeyId, administrator } = access
  const session = pushGate(platform, access.row, { userId, deployKeyId, administrator, via: 'git' })
  const notices = [...movedNotice(access, remoteUrl), ...createdNotice(access, remoteUrl, platform.externalUrl)]
  const gateFor = (repository: Parameters<typeof session.postReceive>[0]): PushGate => ({
    async preReceive(changes, { quarantine, pushOptions, hiddenRefs }) {
      const hidden = hiddenRefs.slice(0, maximumHiddenNotices).map((ref) => `Pushing to ${ref} is not allowed.`)
      const decide = async () =>
        (await refusedSince(platform, access, caller)) ??
        (changes.length === 0 ? [] : await session.preReceive({ repository, changes, quarantine, pushOptions }))
      const refused = await decide().catch((error) => {
        if (!(error instanceof DatabaseUnavailable)) throw error
        platform.log.warn({ err: error, repository: access.row.id }, 'push refused')
        return [sentences.unavailable]
      })
      const messages = [...(refused ?? []), ...hidden].map((sentence) => `${refusalPrefix}${sentence}`)
      return { accept: refused === null, messages }
    },
    postReceive: async (changes) => [...(await session.postReceive(repository, changes)), ...notices],
  })
  return { gateFor, finish: () => session.finish() }
}
