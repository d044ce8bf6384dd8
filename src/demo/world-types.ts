/**
 * The forms of which the world of the demo is written (`world/`). All of them are plain values: who does what, when, and with which
 * words. `steps/` carries them out by the API.
 */
import type { Moment } from './steps/moments.ts'

/** A person of the world. */
export type Person = {
  username: string
  name: string
  job: string
  bio: string
  location: string
  /** What stands beside the name for the time being. */
  status?: { emoji: string; message: string }
}

/** A role in a group or project. */
export type Role = 'guest' | 'reporter' | 'developer' | 'maintainer' | 'owner'

export type Visibility = 'public' | 'internal' | 'private'

export type Milestone = { title: string; text: string; start: string; due: string; closed?: Moment }

export type Label = [name: string, color: string, text: string]

/** A plain thing that one request makes. */
export type Act = {
  by: string
  at: Moment
  /** Where it is posted, below the group or project; `PUT …` changes something. */
  to: string
  /** Its members; `{day+30}` stands for the date in thirty days. */
  body: Record<string, unknown>
}

export type Group = {
  name: string
  path: string
  /** The path of the group above. */
  parent?: string
  text: string
  visibility: Visibility
  by: string
  at: Moment
  members: Record<string, Role>
  labels?: readonly Label[]
  milestones?: readonly Milestone[]
  /** Two weeks each, one after another. */
  iterations?: readonly { title: string; start: string; due: string }[]
  epics?: readonly {
    title: string
    text: string
    by: string
    at: Moment
    start: string
    end: string
    closed?: Moment
  }[]
  acts?: readonly Act[]
}

/** What a commit does to a file: the whole text, parts that are replaced, a text at its end, or null, which deletes it. */
export type Change = string | readonly (readonly [from: string, to: string])[] | { add: string } | null

/** The change that adds a text at the end of a file. */
export const added = (add: string): Change => ({ add })

export type Commit = {
  by: string
  at: Moment
  message: string
  files: Record<string, Change>
  /** The jobs that fail for it. */
  fails?: readonly string[]
  /** Manual jobs that are played afterwards. */
  plays?: { by: string; jobs: readonly string[] }
}

/** A commit that its author makes locally, and pushes with others. */
export type Pushed = readonly [at: Moment, by: string, message: string, files: Readonly<Record<string, Change>>]

/** A branch of its own, which no merge request is for. */
export type Branch = { name: string; commits: readonly Commit[] }

/** A comment; the hours since the one before follow from the seed unless given. */
export type Comment = {
  by: string
  text: string
  after?: number
  /** Whether only members may read it. */
  internal?: boolean
  replies?: readonly Comment[]
}

/** A comment of which a thread begins, in a merge request. */
export type Thread = Comment & {
  /** The line it is on, of the new text of a file: the first one that contains these words. */
  on?: { file: string; line: string }
  resolvedBy?: string
  /** Applies the suggestion of the comment. It replaces the line. */
  applied?: { by: string; line: string }
}

export type Issue = {
  by: string
  at: Moment
  title: string
  text: string
  type?: 'incident' | 'task'
  labels?: readonly string[]
  assignees?: readonly string[]
  milestone?: string
  epic?: string
  iteration?: string
  weight?: number
  due?: string
  estimate?: string
  spent?: readonly [by: string, duration: string, summary: string][]
  confidential?: boolean
  locked?: boolean
  comments?: readonly Comment[]
  /** Issues of the same project, by their number. */
  links?: readonly [iid: number, type: 'relates_to' | 'blocks' | 'is_blocked_by'][]
  closed?: { by: string; at: Moment }
  reopened?: { by: string; at: Moment }
}

export type MergeRequest = {
  by: string
  at: Moment
  title: string
  text: string
  branch: string
  commits: readonly Commit[]
  labels?: readonly string[]
  milestone?: string
  reviewers?: readonly string[]
  assignees?: readonly string[]
  threads?: readonly Thread[]
  approved?: readonly { by: string; at: Moment }[]
  merged?: { by: string; at: Moment; squash?: boolean; keepsBranch?: boolean; plays?: Commit['plays'] }
  closed?: { by: string; at: Moment }
}

export type Release = {
  tag: string
  by: string
  at: Moment
  name: string
  text: string
  milestones?: string[]
  plays?: Commit['plays']
}

/** How a job goes, when a runner takes it. */
export type JobPlan = {
  /** How long it takes, at least and at most. */
  seconds: readonly [number, number]
  /** Its log. A line `# name Title` begins a section, `$` a command, `+` something good, `!` something bad. */
  log: string
  /** Its log where it fails. */
  failure?: string
  /** The files of its artifacts. */
  artifacts?: Record<string, string>
}

/** Pipelines that begin at times. It is switched on at the end, so that only its runs have begun before. */
export type Schedule = {
  by: string
  at: Moment
  description: string
  cron: string
  variables?: Record<string, string>
  runs: readonly { at: Moment; fails?: readonly string[] }[]
}

export type Alert = {
  at: Moment
  title: string
  severity: 'critical' | 'high' | 'medium' | 'low' | 'info'
  text: string
  service: string
  /** What became of it. */
  status?: { by: string; at: Moment; to: 'acknowledged' | 'resolved' | 'ignored' }
  /** Opens an incident for it, which people then work on. */
  incident?: { by: string; at: Moment; comments: readonly Comment[]; closed?: { by: string; at: Moment } }
}

export type Project = {
  name: string
  path: string
  /** The path of its group, or the name of the person whose it is. */
  namespace: string
  text: string
  visibility: Visibility
  topics: readonly string[]
  by: string
  at: Moment
  members?: Record<string, Role>
  labels?: readonly Label[]
  milestones?: readonly Milestone[]
  /** The commits on `main`, each of which is made on the server. */
  commits: readonly Commit[]
  /** The commits on `main` that were made elsewhere, oldest first: those of one person that are close together are one push. */
  pushed?: readonly Pushed[]
  branches?: readonly Branch[]
  releases?: readonly Release[]
  /** In the order of their time: the third one is #3, where no incident was opened before. */
  issues?: readonly Issue[]
  mergeRequests?: readonly MergeRequest[]
  jobs?: Record<string, JobPlan>
  schedules?: readonly Schedule[]
  images?: readonly { name: string; tag: string; at: Moment }[]
  alerts?: readonly Alert[]
  acts?: readonly Act[]
  starredBy?: readonly string[]
  /** A commit of just now, on a branch that exists: its pipeline runs after all other steps. */
  current?: Omit<Commit, 'at'> & { branch: string }
}

/** Everything that is made. */
export type World = {
  people: readonly Person[]
  groups: readonly Group[]
  projects: readonly Project[]
  /** What is made outside of groups and projects. */
  acts: readonly Act[]
}
