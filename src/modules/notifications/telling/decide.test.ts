import { expect, test } from 'vitest'
import { decide, type Standing } from './decide.ts'

const standing = (of: Partial<Standing>): Standing => ({
  ...{ level: 'participating', choices: {}, parts: [], subscribed: null, isMentioned: false, isConcerned: false },
  ...of,
})

test.each<[why: string, of: Partial<Standing>, event: Parameters<typeof decide>[1], reason: ReturnType<typeof decide>]>(
  [
    ['a stranger', {}, 'new_note', null],
    ['an author', { parts: ['author'] }, 'new_note', 'author'],
    ['a reviewer who is the author', { parts: ['author', 'review'] }, 'new_note', 'review'],
    ['who has commented', { parts: ['commented', 'named'] }, 'new_note', 'commented'],
    ['an author who has commented', { parts: ['commented', 'author'] }, 'new_note', 'author'],
    ['an assigned author', { parts: ['author', 'assigned'] }, 'new_note', 'assigned'],
    [
      'an author who wants no repairs',
      { level: 'custom', parts: ['author'], choices: { fixed_pipeline: false } },
      'fixed_pipeline',
      null,
    ],
    ['who was mentioned before', { parts: ['named'] }, 'new_note', 'mentioned'],
    ['who is assigned now', { isConcerned: true }, 'reassign_issue', 'concerned'],
    ['a watcher', { level: 'watch' }, 'new_issue', 'watching'],
    ['a watcher, of pushes', { level: 'watch' }, 'push_to_merge_request', null],
    ['a watcher, of due days', { level: 'watch' }, 'issue_due', null],
    ['a watcher, of successes', { level: 'watch' }, 'success_pipeline', null],
    ['a watching author, of pushes', { level: 'watch', parts: ['author'] }, 'push_to_merge_request', 'author'],
    ['a chosen event', { level: 'custom', choices: { new_note: true } }, 'new_note', 'custom'],
    ['another event', { level: 'custom', choices: { new_note: true } }, 'new_issue', null],
    ['an event that is on by default', { level: 'custom' }, 'moved_project', 'custom'],
    ['an event that was switched off', { level: 'custom', choices: { moved_project: false } }, 'moved_project', null],
    ['an author at custom', { level: 'custom', parts: ['author'] }, 'new_note', 'author'],
    ['an author, of a failure', { parts: ['author'] }, 'failed_pipeline', 'author'],
    ['an author, of a success', { parts: ['author'] }, 'success_pipeline', null],
    [
      'an author who has chosen successes',
      { level: 'custom', parts: ['author'], choices: { success_pipeline: true } },
      'success_pipeline',
      'author',
    ],
    [
      'an author who wants no failures',
      { level: 'custom', parts: ['author'], choices: { failed_pipeline: false } },
      'failed_pipeline',
      null,
    ],
    ['an assignee, of a due day', { parts: ['assigned'] }, 'issue_due', null],
    [
      'an assignee who has chosen due days',
      { level: 'custom', parts: ['assigned'], choices: { issue_due: true } },
      'issue_due',
      'assigned',
    ],
    ['a stranger who has chosen due days', { level: 'custom', choices: { issue_due: true } }, 'issue_due', null],
    ['an author at mention', { level: 'mention', parts: ['author'] }, 'new_note', null],
    ['a mentioned user at mention', { level: 'mention', isMentioned: true }, 'new_note', 'mentioned'],
    ['a mentioned user at disabled', { level: 'disabled', isMentioned: true }, 'new_note', null],
    ['an author at disabled', { level: 'disabled', parts: ['author'], subscribed: true }, 'new_note', null],
    ['a subscriber at disabled', { level: 'disabled', subscribed: true }, 'new_note', 'subscribed'],
    ['a subscriber at mention', { level: 'mention', subscribed: true }, 'new_note', 'subscribed'],
    ['an author who is subscribed', { parts: ['author'], subscribed: true }, 'new_note', 'author'],
    ['an author who is unsubscribed', { parts: ['author'], subscribed: false }, 'new_note', null],
    ['a watcher who is unsubscribed', { level: 'watch', subscribed: false }, 'new_note', null],
    ['an unsubscribed one who is mentioned', { subscribed: false, isMentioned: true }, 'new_note', 'mentioned'],
    ['a watcher, of mentions only', { level: 'watch', parts: ['author'], subscribed: true }, null, null],
    ['a mentioned one, of mentions only', { isMentioned: true }, null, 'mentioned'],
  ],
)('%s', (_why, of, event, reason) => {
  expect(decide(standing(of), event)).toBe(reason)
})
