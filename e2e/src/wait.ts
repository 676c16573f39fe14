/** Waits until something holds, and fails if it never does. */
export async function until(
  holds: () => boolean | Promise<boolean>,
): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!(await holds())) {
    if (Date.now() > deadline) {
      throw new Error("it never came to hold");
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
