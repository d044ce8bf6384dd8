import { branchName, isZeroOid, type Oid, tagName } from '../../../infra/git/index.ts'
import type { Platform, ProposedChange, RefRule } from '../../../platform/index.ts'
import { defaultBranchName, type ProjectRow, projectById } from '../../projects/index.ts'
import { commitIdentity, presentingUsers, userById } from '../../users/index.ts'
import { createPatterns, type Patterns, tooMuch, Uncheckable } from '../pattern.ts'
import { pushRuleOf } from '../store.ts'
import type { PushRuleRow } from '../tables.ts'
import { userAddresses } from './addresses.ts'
import { type CommitContext, checkCommits, checksCommits, isSet, type Pusher } from './commits.ts'
import { checkFiles, checksFiles } from './files.ts'
import { createVerdict, order, type Verdict } from './verdict.ts'

/** The maximal number of new commits in a push to a project with a push rule. */
const mostCommits = 100_000
/** The number of commits in memory at once; their messages may be long. */
const commitsAtOnce = 100

type Push = {
  platform: Platform
  change: ProposedChange
  project: ProjectRow
  rule: PushRuleRow
  patterns: Patterns
  verdict: Verdict
}

async function pusherOf({ platform, change }: Push): Promise<Pusher | null> {
  const { userId } = change.writer
  const user = userId === null ? null : await userById(platform.database.read, userId)
  if (!user) return null
  const own = [
    commitIdentity(user, await presentingUsers(platform)).email,
    ...(user.confirmed_at === null ? [] : [user.email]),
  ]
  return { name: user.name, addresses: new Set(own.map((address) => address.toLowerCase())) }
}

/** Checks the names of branches and the deletion of tags. */
async function checkRefs({ platform, change, project, rule, patterns, verdict }: Push): Promise<void> {
  const { branch_name_regex: pattern } = rule
  const exempt = isSet(pattern) ? await defaultBranchName(platform, project) : null
  for (const { ref, new: next } of change.changes) {
    const isDeletion = isZeroOid(next)
    const name = branchName(ref)
    if (isSet(pattern) && name !== null && !isDeletion && name !== exempt) {
      if (!(await patterns.finds(pattern, name, { what: 'Branch name' }))) {
        verdict.refuse(order.branchName, `Branch name does not follow the pattern '${pattern}'`)
      }
    }
    const isGit = change.writer.via === 'git'
    if (rule.deny_delete_tag && isGit && isDeletion && tagName(ref) !== null) {
      verdict.refuse(order.tagDeletion, 'You cannot delete a tag')
    }
  }
}

async function checkCommitSlice(push: Push, pusher: Pusher | null, oids: readonly Oid[]): Promise<void> {
  const { platform, change, rule, patterns, verdict } = push
  const { repository, quarantine, writer } = change
  const found = [...(await repository.commits(oids, { quarantine })).values()]
  const commits = found.filter(({ parentOids }) => parentOids.length < 2)
  const addresses = commits.flatMap(({ author, committer }) => [author.email, committer.email])
  const needsSignatures = rule.reject_unsigned_commits && writer.via === 'git'
  const commitOids = commits.map(({ oid }) => oid)
  const context: CommitContext = {
    ...{ rule, patterns, pusher },
    known: rule.member_check ? await userAddresses(platform, addresses) : new Set(),
    signed: needsSignatures ? await repository.signedCommits(commitOids, { quarantine }) : null,
  }
  await checkCommits(commits, context, verdict)
}

async function check(push: Push): Promise<void> {
  const { change, rule } = push
  await checkRefs(push)
  const moved = change.changes.filter(({ ref }) => branchName(ref) !== null || tagName(ref) !== null)
  const tips = [...new Set(moved.map((one) => one.new).filter((oid) => !isZeroOid(oid)))]
  if (tips.length === 0 || !(checksCommits(rule) || checksFiles(rule))) return
  const { repository, quarantine } = change
  const oids = await repository.newCommits(tips, { limit: mostCommits + 1, quarantine })
  if (oids.length > mostCommits) throw tooMuch()
  const pusher = await pusherOf(push)
  for (let start = 0; start < oids.length; start += commitsAtOnce) {
    const slice = oids.slice(start, start + commitsAtOnce)
    if (checksCommits(rule)) await checkCommitSlice(push, pusher, slice)
    if (checksFiles(rule)) await checkFiles(slice, push, push.verdict)
  }
}

/**
 * Applies a project's push rule to pushes and to commits through the API (contract 22 R4). Commits that the repository has
 * already are not checked, nor are merges. Only commits pushed through git need signatures, and tags may be deleted through
 * the API.
 */
export const pushRulesRule: RefRule = async (platform, change) => {
  const { row, writer } = change
  if (row.project_id === null || row.kind !== 'project' || writer.isBeginning) return null
  const db = platform.database.read
  const rule = await pushRuleOf(db, 'project', row.project_id)
  const project = rule && (await projectById(db, row.project_id))
  if (!project) return null
  const verdict = createVerdict()
  try {
    await check({ platform, change, project, rule, patterns: createPatterns(), verdict })
  } catch (error) {
    if (error instanceof Uncheckable) return [error.message]
    throw error
  }
  const sentence = verdict.sentence()
  return sentence === null ? null : [sentence]
}
