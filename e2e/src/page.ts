import { useChat as useChat7 } from "@ai-sdk/react";
import {
  DefaultChatTransport as HttpTransport7,
  WebSocketChatTransport,
} from "ai";
import type { UIMessage } from "ai";
import {
  DefaultChatTransport as HttpTransport6,
  lastAssistantMessageIsCompleteWithApprovalResponses as decided,
} from "ai-6";
import { useChat as useChat6 } from "ai-sdk-react-3";
import { Window } from "happy-dom";
import { createElement, useEffect } from "react";
import { WebSocket } from "ws";

import type { Front } from "./chat.js";

/** What a component of an application has of useChat, as far as tests look at it. */
export type Hook = ReturnType<typeof useChat7<UIMessage>>;

/** A page that shows one chat, as an application does: with useChat, in React. */
export interface Page {
  chat(): Hook;
  /** The text of the answer that the page shows now. */
  shown(): string;
  /** How often the page was drawn. */
  drawn(): number;
  unmount(): void;
}

export interface PageOptions {
  front: Front;
  /** Of the bridge, http://host:port. */
  base: string;
  agent: string;
  id: string;
  messages?: UIMessage[];
  /** Whether the page asks for an answer that goes on, when it opens. */
  resume?: boolean;
}

/** Opens a page in a window of its own. */
export async function openPage(options: PageOptions): Promise<Page> {
  const window = new Window();
  // React looks for these, when it is loaded: the first page gives them to all.
  const globals = globalThis as Record<string, unknown>;
  globals["window"] ??= window;
  globals["document"] ??= window.document;
  globals["navigator"] ??= window.navigator;
  const { createRoot } = await import("react-dom/client");
  const { flushSync } = await import("react-dom");
  const transport = transportOf(options);
  const use = (options.front === "ai 6, HTTP"
    ? useChat6
    : useChat7) as unknown as (init: object) => Hook;
  let hook: Hook | undefined;
  let drawn = 0;
  function Chat() {
    hook = use({
      id: options.id,
      transport,
      messages: options.messages ?? [],
      resume: options.resume ?? false,
      sendAutomaticallyWhen: decided,
    });
    useEffect(() => {
      drawn++;
    });
    return createElement(
      "p",
      null,
      hook.messages
        .at(-1)
        ?.parts.map((part) => (part.type === "text" ? part.text : ""))
        .join(""),
    );
  }
  const place = window.document.createElement("div");
  const root = createRoot(place as unknown as Element);
  flushSync(() => {
    root.render(createElement(Chat));
  });
  return {
    chat: () => {
      if (hook === undefined) {
        throw new Error("the page was never drawn");
      }
      return hook;
    },
    shown: () => place.textContent,
    drawn: () => drawn,
    unmount: () => {
      flushSync(() => {
        root.unmount();
      });
      (transport as { close?: () => void }).close?.();
    },
  };
}

function transportOf({ front, base, agent }: PageOptions): object {
  const url = `${base}/v1/agents/${agent}/aisdk`;
  switch (front) {
    case "ai 6, HTTP":
      return new HttpTransport6({ api: url });
    case "ai 7, HTTP":
      return new HttpTransport7({ api: `${url}?profile=v7` });
    case "ai 7, WebSocket":
      return new WebSocketChatTransport({ url, webSocket: WebSocket as never });
  }
}
