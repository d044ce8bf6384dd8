/** The sentence that a failed command shows. */
export function failureText(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'storage_full') return 'no space is left on the device'
  return message.split('\n')[0] ?? ''
}
