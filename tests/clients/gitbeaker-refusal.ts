/** The status of a call of gitbeaker that was refused; undefined when it was not. */
export async function refusal(call: Promise<unknown>): Promise<number | undefined> {
  const error = await call.then(
    () => new Error('was not refused'),
    (reason: Error) => reason,
  )
  return (error as { cause?: { response?: Response } }).cause?.response?.status
}
