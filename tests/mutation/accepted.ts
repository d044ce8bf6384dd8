/** A change that no test can notice, or need not notice. */
export type Accepted = {
  file: string
  /** The line without indentation. */
  code: string
  original: string
  changed: string
  reason: string
}

/** Changes that leave everything as it was for every caller. */
export const accepted: readonly Accepted[] = [
  {
    file: 'src/modules/tokens/validation.ts',
    code: 'if (latest !== null && expiresAt > latest) return [`must be before ${latest}`]',
    original: 'latest !== null && expiresAt > latest',
    changed: 'expiresAt > latest',
    reason: 'No text comes after null.',
  },
  {
    file: 'src/modules/tokens/validation.ts',
    code: 'return earliest !== null && expiresAt < earliest ? ["can\'t be in the past"] : []',
    original: 'earliest !== null && expiresAt < earliest',
    changed: 'expiresAt < earliest',
    reason: 'No text comes before null.',
  },
  {
    file: 'src/modules/members/rules.ts',
    code: "if (wanted.expires_at && wanted.expires_at <= today) fields.expires_at = ['cannot be a date in the past']",
    original: 'wanted.expires_at && wanted.expires_at <= today',
    changed: 'wanted.expires_at <= today',
    reason: 'Neither null nor undefined is before a text.',
  },
  {
    file: 'src/modules/labels/core/validation.ts',
    code: "(priority ?? 0) < 0 ? ['must be greater than or equal to 0'] : []",
    original: '0',
    changed: '1',
    reason: 'What stands for no priority is not below 0 either.',
  },
]
