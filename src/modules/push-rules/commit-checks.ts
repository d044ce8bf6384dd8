import type { Commit } from '../../infra/git/index.ts'
import type { Patterns } from './pattern.ts'
import type { PushRuleRow } from './tables.ts'
import { order, type Place, type Verdict } from './verdict.ts'

/** Whoever pushes, as the rules look at commits. */
export type Pusher = {
  name: string
  /** Verified addresses, in lower case. */
  addresses: ReadonlySet<string>
}

/** Everything that is asked of a portion of commits, loaded for all of them. */
export type CommitContext = {
  rule: PushRuleRow
  patterns: Patterns
  /** Null when nobody stands behind a deploy key any more. */
  pusher: Pusher | null
  /** Those of the authors' and committers' addresses, in lower case, that are somebody's. */
  known: ReadonlySet<string>
  /** Null when signatures are not asked for. */
  signed: ReadonlySet<string> | null
}

type Check = {
  place: Place
  isOn(context: CommitContext): boolean
  /** The sentence with which it refuses, or null. */
  of(commit: Commit, context: CommitContext): string | null | Promise<string | null>
}

/** Whether a regular expression asks anything. */
export function isAsking(pattern: string | null): pattern is string {
  return pattern !== null && pattern.trim() !== ''
}

const messageOptions = { what: 'Commit message', multiline: true }
const emailOptions = { what: 'E-mail address' }

/** Lines end as Git's do, whatever wrote them. */
const messageOf = ({ message }: Commit) => message.replaceAll('\r\n', '\n')

const signoff = 'Signed-off-by: '

/** Whether a line of the message signs off, as `git commit --signoff` writes it. */
function isSignedOff(commit: Commit): boolean {
  const lines = messageOf(commit).split('\n')
  const signers = lines.filter((line) => line.startsWith(signoff)).map((line) => line.slice(signoff.length).trimEnd())
  return signers.some((signer) => /[^<>\s]\s*<[^<>@\s]+@[^<>@\s]+>$/.test(signer))
}

const emailCheck = (place: Place, who: 'author' | 'committer', name: string): Check => ({
  place,
  isOn: ({ rule }) => isAsking(rule.author_email_regex),
  async of(commit, { rule, patterns }) {
    const { email } = commit[who]
    const pattern = rule.author_email_regex ?? ''
    if (await patterns.finds(pattern, email, emailOptions)) return null
    return `${name}'s email '${email}' does not follow the pattern '${pattern}'`
  },
})

const checks: readonly Check[] = [
  {
    place: order.message,
    isOn: ({ rule }) => isAsking(rule.commit_message_regex),
    async of(commit, { rule, patterns }) {
      const pattern = rule.commit_message_regex ?? ''
      if (await patterns.finds(pattern, messageOf(commit), messageOptions)) return null
      return `Commit message does not follow the pattern '${pattern}'`
    },
  },
  {
    place: order.forbiddenMessage,
    isOn: ({ rule }) => isAsking(rule.commit_message_negative_regex),
    async of(commit, { rule, patterns }) {
      const pattern = rule.commit_message_negative_regex ?? ''
      if (!(await patterns.finds(pattern, messageOf(commit), messageOptions))) return null
      return `Commit message contains the forbidden pattern '${pattern}'`
    },
  },
  emailCheck(order.authorEmail, 'author', 'Author'),
  emailCheck(order.committerEmail, 'committer', 'Committer'),
  {
    place: order.member,
    isOn: ({ rule }) => rule.member_check,
    of({ author, committer }, { known }) {
      if (!known.has(author.email.toLowerCase())) return `Author '${author.email}' is not a member of team`
      if (!known.has(committer.email.toLowerCase())) return `Committer '${committer.email}' is not a member of team`
      return null
    },
  },
  {
    place: order.signature,
    isOn: ({ signed }) => signed !== null,
    of: ({ oid }, { signed }) => (signed?.has(oid) ? null : 'Commit must be signed with a GPG key'),
  },
  {
    place: order.committer,
    isOn: ({ rule }) => rule.commit_committer_check,
    of({ committer: { email } }, { pusher }) {
      if (pusher?.addresses.has(email.toLowerCase())) return null
      return (
        `You cannot push commits for '${email}'. ` +
        'You can only push commits if the committer email is one of your own verified emails.'
      )
    },
  },
  {
    place: order.committerName,
    isOn: ({ rule }) => rule.commit_committer_name_check,
    of: ({ author }, { pusher }) =>
      pusher?.name === author.name ? null : 'Your git username is inconsistent with GitLab account name',
  },
  {
    place: order.signoff,
    isOn: ({ rule }) => rule.reject_non_dco_commits,
    of: (commit) => (isSignedOff(commit) ? null : 'Commit message must contain a DCO signoff'),
  },
]

/** Asks every check that could still change the verdict about every commit. */
export async function checkCommits(
  commits: readonly Commit[],
  context: CommitContext,
  verdict: Verdict,
): Promise<void> {
  for (const check of checks.filter((one) => one.isOn(context))) {
    for (const commit of commits) {
      if (!verdict.isOpen(check.place)) break
      const sentence = await check.of(commit, context)
      if (sentence !== null) verdict.refuse(check.place, sentence)
    }
  }
}

/** Whether any check of commits asks something, so that they have to be read. */
export function asksOfCommits(rule: PushRuleRow): boolean {
  return (
    [rule.commit_message_regex, rule.commit_message_negative_regex, rule.author_email_regex].some(isAsking) ||
    rule.member_check ||
    rule.reject_unsigned_commits ||
    rule.commit_committer_check ||
    rule.commit_committer_name_check ||
    rule.reject_non_dco_commits
  )
}
