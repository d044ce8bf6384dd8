import type { Commit } from '../../../infra/git/index.ts'
import type { Patterns } from '../pattern.ts'
import type { PushRuleRow } from '../tables.ts'
import { order, type Rank, type Verdict } from './verdict.ts'

/** The user who pushes. */
export type Pusher = {
  name: string
  /** Verified addresses, in lower case. */
  addresses: ReadonlySet<string>
}

/** What the checks of some commits need, loaded for all of them. */
export type CommitContext = {
  rule: PushRuleRow
  patterns: Patterns
  /** Null for a deploy key whose creator was removed. */
  pusher: Pusher | null
  /** The authors' and committers' addresses that belong to users, in lower case. */
  known: ReadonlySet<string>
  /** The commits with signatures; null when none are required. */
  signed: ReadonlySet<string> | null
}

type Check = {
  rank: Rank
  isOn(rule: PushRuleRow): boolean
  /** @returns the sentence that refuses the commit, or null */
  of(commit: Commit, context: CommitContext): string | null | Promise<string | null>
}

/** Whether a regular expression is set. */
export function isSet(pattern: string | null): pattern is string {
  return pattern !== null && pattern.trim() !== ''
}

const messageOptions = { what: 'Commit message', multiline: true }
const emailOptions = { what: 'E-mail address' }

/** The message with Git's line ends. */
const messageOf = ({ message }: Commit) => message.replaceAll('\r\n', '\n')

const signoff = 'Signed-off-by: '

/** Whether the message has a line that `git commit --signoff` writes. */
function isSignedOff(commit: Commit): boolean {
  const lines = messageOf(commit).split('\n')
  const signers = lines.filter((line) => line.startsWith(signoff)).map((line) => line.slice(signoff.length).trimEnd())
  return signers.some((signer) => /[^<>\s]\s*<[^<>@\s]+@[^<>@\s]+>$/.test(signer))
}

const emailCheck = (rank: Rank, who: 'author' | 'committer', name: string): Check => ({
  rank,
  isOn: (rule) => isSet(rule.author_email_regex),
  async of(commit, { rule, patterns }) {
    const { email } = commit[who]
    const pattern = rule.author_email_regex ?? ''
    if (await patterns.finds(pattern, email, emailOptions)) return null
    return `${name}'s email '${email}' does not follow the pattern '${pattern}'`
  },
})

const checks: readonly Check[] = [
  {
    rank: order.message,
    isOn: (rule) => isSet(rule.commit_message_regex),
    async of(commit, { rule, patterns }) {
      const pattern = rule.commit_message_regex ?? ''
      if (await patterns.finds(pattern, messageOf(commit), messageOptions)) return null
      return `Commit message does not follow the pattern '${pattern}'`
    },
  },
  {
    rank: order.forbiddenMessage,
    isOn: (rule) => isSet(rule.commit_message_negative_regex),
    async of(commit, { rule, patterns }) {
      const pattern = rule.commit_message_negative_regex ?? ''
      if (!(await patterns.finds(pattern, messageOf(commit), messageOptions))) return null
      return `Commit message contains the forbidden pattern '${pattern}'`
    },
  },
  emailCheck(order.authorEmail, 'author', 'Author'),
  emailCheck(order.committerEmail, 'committer', 'Committer'),
  {
    rank: order.member,
    isOn: (rule) => rule.member_check,
    of({ author, committer }, { known }) {
      if (!known.has(author.email.toLowerCase())) return `Author '${author.email}' is not a member of team`
      if (!known.has(committer.email.toLowerCase())) return `Committer '${committer.email}' is not a member of team`
      return null
    },
  },
  {
    rank: order.signature,
    isOn: (rule) => rule.reject_unsigned_commits,
    of: ({ oid }, { signed }) => (!signed || signed.has(oid) ? null : 'Commit must be signed with a GPG key'),
  },
  {
    rank: order.committer,
    isOn: (rule) => rule.commit_committer_check,
    of({ committer: { email } }, { pusher }) {
      if (pusher?.addresses.has(email.toLowerCase())) return null
      return (
        `You cannot push commits for '${email}'. ` +
        'You can only push commits if the committer email is one of your own verified emails.'
      )
    },
  },
  {
    rank: order.committerName,
    isOn: (rule) => rule.commit_committer_name_check,
    of: ({ author }, { pusher }) =>
      pusher?.name === author.name ? null : 'Your git username is inconsistent with GitLab account name',
  },
  {
    rank: order.signoff,
    isOn: (rule) => rule.reject_non_dco_commits,
    of: (commit) => (isSignedOff(commit) ? null : 'Commit message must contain a DCO signoff'),
  },
]

/** Runs the checks that could still change the verdict. */
export async function checkCommits(
  commits: readonly Commit[],
  context: CommitContext,
  verdict: Verdict,
): Promise<void> {
  for (const check of checks.filter((one) => one.isOn(context.rule))) {
    for (const commit of commits) {
      if (!verdict.isOpen(check.rank)) break
      const sentence = await check.of(commit, context)
      if (sentence !== null) verdict.refuse(check.rank, sentence)
    }
  }
}

/** Whether the rule has a check for which commits must be read. */
export function checksCommits(rule: PushRuleRow): boolean {
  return checks.some((check) => check.isOn(rule))
}
