import type { PushGate } from '../../infra/git/index.ts'
import type { Repositories } from '../repositories/index.ts'
import { type GitAccess, type gitAccess, sentenceOf, sentences } from './access.ts'
import type { GitCaller } from './credentials.ts'

export type PushGateNeeds = {
  admit: ReturnType<typeof gitAccess>
  repositories: Repositories
  /** What the pusher's refused sentences begin with (contract 01). */
  messagePrefix: string
  externalUrl: string
  /** The address from which a project is cloned the way the pusher came. */
  remoteUrl(fullPath: string): string
}

/** What a pusher is told who still uses the path of before (contract 22 R6). */
function movedNotice({ fullPath, movedFrom }: GitAccess, { remoteUrl }: PushGateNeeds): string[] {
  if (movedFrom === null) return []
  return [
    `Project '${movedFrom}' was moved to '${fullPath}'.`,
    '',
    'Please update your Git remote:',
    '',
    `  git remote set-url origin ${remoteUrl(fullPath)}`,
  ]
}

/** What the first pusher is told of a project that the push made (contract 22 R6). */
function createdNotice({ project, row }: GitAccess, { remoteUrl, externalUrl }: PushGateNeeds): string[] {
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

/** A mirror may hold thousands of refs that are no branch, tag or note. Git's report names each; the notices stop here. */
const maximumHiddenNotices = 10

/** The gate of one push: what the platform's rules say, in the form in which git shows it. */
export function pushGateOf(access: GitAccess, caller: GitCaller, needs: PushGateNeeds) {
  const { repositories, messagePrefix: prefix } = needs

  /** Why the pusher may no longer do what they were let in for: packs take long to come, and rights end meanwhile. */
  async function refusedSince(): Promise<readonly string[] | null> {
    const again = await needs.admit(access.fullPath, caller, 'git-receive-pack', { isAgain: true })
    if ('kind' in again) return [sentenceOf(again)]
    return again.row.id === access.row.id ? null : [sentences.notFound]
  }

  const { userId, deployKeyId, administrator } = access
  const session = repositories.pushGate(access.row, { userId, deployKeyId, administrator, via: 'git' })
  const gateFor = (repository: Parameters<typeof session.postReceive>[0]): PushGate => ({
    async preReceive(changes, { quarantine, pushOptions, hiddenRefs }) {
      const hidden = hiddenRefs.slice(0, maximumHiddenNotices).map((ref) => `Pushing to ${ref} is not allowed.`)
      const refused =
        (await refusedSince()) ??
        (changes.length === 0 ? [] : await session.preReceive({ repository, changes, quarantine, pushOptions }))
      const messages = [...(refused ?? []), ...hidden].map((sentence) => `${prefix}${sentence}`)
      return { accept: refused === null, messages }
    },
    async postReceive(changes) {
      const messages = await session.postReceive(repository, changes)
      return [...messages, ...movedNotice(access, needs), ...createdNotice(access, needs)]
    },
  })
  return { gateFor, finish: () => session.finish() }
}
