import type { Database } from '../../infra/database/index.ts'
import { branchName, isZeroOid, type Oid, tagName } from '../../infra/git/index.ts'
import { defaultBranchOf, type ProjectRow, projectById } from '../projects/index.ts'
import type { ProposedChange, RefRule } from '../repositories/index.ts'
import { commitIdentity, type PresentingUsers, userById } from '../users/index.ts'
import { addressesIn } from './addresses.ts'
import { asksOfCommits, type CommitContext, checkCommits, isAsking, type Pusher } from './commit-checks.ts'
import { asksOfFiles, checkFiles } from './file-checks.ts'
import { createPatterns, type Patterns, tooMuch, Uncheckable } from './pattern.ts'
import { pushRuleOf } from './store.ts'
import type { PushRuleRow } from './tables.ts'
import { createVerdict, order, type Verdict } from './verdict.ts'

export type PushRuleGateNeeds = {
  database: Database
  presentingUsers(): Promise<PresentingUsers>
  /** Name of the default branch where a project names none. */
  planned(): Promise<string>
}

/** New commits that are looked at; a push of more is refused. */
const mostCommits = 100_000
/** Commits that are held at once, whose messages may be long. */
const commitsAtOnce = 100

type Push = { change: ProposedChange; project: ProjectRow; rule: PushRuleRow; patterns: Patterns; verdict: Verdict }

/**
 * What a project's push rule asks of a push or of a commit made through the API (contract 22 R4). Commits that are in the
 * repository already are not asked again, nor are merges. Signatures are asked of what comes by git alone: the server's own
 * commits are made by whoever is signed in. Tags may be deleted through the API.
 */
export function pushRulesRule(needs: PushRuleGateNeeds): RefRule {
  const { database, presentingUsers, planned } = needs
  const db = database.read

  async function pusherOf({ mover }: ProposedChange): Promise<Pusher | null> {
    const user = mover.userId === null ? null : await userById(db, mover.userId)
    if (!user) return null
    const own = [
      commitIdentity(user, await presentingUsers()).email,
      ...(user.confirmed_at === null ? [] : [user.email]),
    ]
    return { name: user.name, addresses: new Set(own.map((address) => address.toLowerCase())) }
  }

  /** What can be said by the names of the refs alone. */
  async function checkRefs({ change, project, rule, patterns, verdict }: Push): Promise<void> {
    const { branch_name_regex: pattern } = rule
    const always = isAsking(pattern) ? await defaultBranchOf(project, planned) : null
    for (const { ref, new: next } of change.changes) {
      const isDeletion = isZeroOid(next)
      const name = branchName(ref)
      if (isAsking(pattern) && name !== null && !isDeletion && name !== always) {
        if (!(await patterns.finds(pattern, name, { what: 'Branch name' }))) {
          verdict.refuse(order.branchName, `Branch name does not follow the pattern '${pattern}'`)
        }
      }
      const isGit = change.mover.via === 'git'
      if (rule.deny_delete_tag && isGit && isDeletion && tagName(ref) !== null) {
        verdict.refuse(order.tagDeletion, 'You cannot delete a tag')
      }
    }
  }

  async function checkPortion(push: Push, pusher: Pusher | null, oids: readonly Oid[]): Promise<void> {
    const { change, rule, patterns, verdict } = push
    const { repository, quarantine, mover } = change
    const found = [...(await repository.commits(oids, { quarantine })).values()]
    const commits = found.filter(({ parentOids }) => parentOids.length < 2)
    const addresses = commits.flatMap(({ author, committer }) => [author.email, committer.email])
    const asksForSignatures = rule.reject_unsigned_commits && mover.via === 'git'
    const context: CommitContext = {
      ...{ rule, patterns, pusher },
      known: rule.member_check ? await addressesIn(db, addresses, await presentingUsers()) : new Set(),
      signed: asksForSignatures
        ? await repository.signedCommits(
            commits.map(({ oid }) => oid),
            { quarantine },
          )
        : null,
    }
    await checkCommits(commits, context, verdict)
  }

  async function check(push: Push): Promise<void> {
    const { change, rule } = push
    await checkRefs(push)
    const moved = change.changes.filter(({ ref }) => branchName(ref) !== null || tagName(ref) !== null)
    const tips = [...new Set(moved.map((one) => one.new).filter((oid) => !isZeroOid(oid)))]
    if (tips.length === 0 || !(asksOfCommits(rule) || asksOfFiles(rule))) return
    const { repository, quarantine } = change
    const oids = await repository.newCommits(tips, { limit: mostCommits + 1, quarantine })
    if (oids.length > mostCommits) throw tooMuch()
    const pusher = await pusherOf(change)
    for (let start = 0; start < oids.length; start += commitsAtOnce) {
      const portion = oids.slice(start, start + commitsAtOnce)
      if (asksOfCommits(rule)) await checkPortion(push, pusher, portion)
      if (asksOfFiles(rule)) await checkFiles(portion, push, push.verdict)
    }
  }

  return async (change) => {
    const { row, mover } = change
    if (row.project_id === null || row.kind !== 'project' || mover.isBeginning) return null
    const rule = await pushRuleOf(db, { project_id: row.project_id })
    const project = rule && (await projectById(db, row.project_id))
    if (!project) return null
    const verdict = createVerdict()
    try {
      await check({ change, project, rule, patterns: createPatterns(), verdict })
    } catch (error) {
      if (error instanceof Uncheckable) return [error.sentence]
      throw error
    }
    const sentence = verdict.sentence()
    return sentence === null ? null : [sentence]
  }
}
