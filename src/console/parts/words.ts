/** A name of the API in words: `ssl_verification` is `SSL verification`. */
export const words = (name: string) =>
  (name.charAt(0).toUpperCase() + name.slice(1))
    .replaceAll('_', ' ')
    .replace(/\b(ai|api|cd|ci|git|html|http|id|ip|jwt|lfs|md5|sha|ssh|ssl|url)\b/gi, (word) =>
      word.toLowerCase() === 'git' ? 'Git' : word.toUpperCase(),
    )

/** What the field of a parameter is called: that of `user_id`, where people write a name, is `User`. */
export const wordsOfField = (name: string, isReference: boolean) =>
  words(isReference ? name.replace(/_id(?=s?$)/, '') : name)

/** A title in the middle of a sentence: `SSH keys` stays, `Deploy keys` is `deploy keys`. */
export const inSentence = (title: string) =>
  /^[A-Z][a-z]/.test(title) ? title.charAt(0).toLowerCase() + title.slice(1) : title

/** Values that are names of roles. */
export const roles: Readonly<Record<string, string>> = {
  0: 'No one',
  5: 'Minimal access',
  10: 'Guest',
  15: 'Planner',
  20: 'Reporter',
  30: 'Developer',
  40: 'Maintainer',
  50: 'Owner',
  60: 'Administrator',
}

/** The roles that members have. */
export const memberRoles = [10, 15, 20, 30, 40, 50]

/** Whether a member or parameter is the number of a role. */
export const isRole = (name: string) => /(^|_)access_levels?$/.test(name)

/** A value of a fixed set in words. */
export function wordOf(name: string, value: unknown): string {
  if (isRole(name) && roles[String(value)]) return roles[String(value)] ?? ''
  return typeof value === 'string' && /^[a-z][a-z\d_ -]*$/.test(value) ? words(value) : String(value)
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

/** A size as people read it. */
export function size(bytes: number): string {
  const step = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10))
  return `${step === 0 ? bytes : (bytes / 1024 ** step).toFixed(1)} ${units[step]}`
}
