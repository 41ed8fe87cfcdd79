;;; emacs.el --- A session in Emacs with the repository's configuration  -*- lexical-binding: t; -*-

;; Writes what the editor shows as JSON.

;;; Code:

(require 'json)
(package-initialize)
(load (getenv "CONFIGURATION"))

(defvar said nil "What the editor showed: names and values.")
(defun say (name value) (push (cons name value) said))

(defun wait (what done)
  "Let the editor work until DONE answers t; fail if WHAT does not happen."
  (let ((end (+ (float-time) 30)))
    (while (not (funcall done))
      (when (> (float-time) end) (error "No %s" what))
      (accept-process-output nil 0.005))))

(defun put-point (text)
  (goto-char (point-min))
  (search-forward text)
  (goto-char (match-beginning 0)))

(defun current-line () (buffer-substring-no-properties (line-beginning-position) (line-end-position)))

(defun open-skill ()
  "Open the skill as a command does: the server is started after the command."
  (switch-to-buffer (find-file-noselect (getenv "SKILL")))
  (run-hooks 'post-command-hook)
  (wait "server" #'eglot-managed-p))

(defun session ()
  (setq skillstudio-fix-on-save t
        last-nonmenu-event ?\r
        make-backup-files nil
        create-lockfiles nil)
  (open-skill)
  (let ((skill (current-buffer)))
    (say 'command (process-command (jsonrpc--process (eglot-current-server))))

    ;; Type a colon, and apply the first code action.
    (flymake-start)
    (put-point "description: Makes")
    (end-of-line)
    (insert ": now")
    (eglot--signal-textDocument/didChange)
    (wait "problem" #'flymake-diagnostics)
    (let ((problem (car (flymake-diagnostics))))
      (say 'problem (flymake-diagnostic-text problem))
      (goto-char (flymake-diagnostic-beg problem))
      (cl-letf (((symbol-function 'completing-read)
                 (lambda (_prompt items &rest _)
                   (say 'titles (vconcat (mapcar #'car items)))
                   (caar items))))
        (eglot-code-actions (flymake-diagnostic-beg problem) (flymake-diagnostic-end problem)
                            nil t)))
    (say 'fixed (current-line))
    (eglot--signal-textDocument/didChange)
    (wait "end of the problem" (lambda () (not (flymake-diagnostics))))

    ;; What is at point.
    (put-point "description")
    (let (hover)
      (eglot-hover-eldoc-function (lambda (text &rest _) (setq hover text)))
      (wait "hover" (lambda () hover))
      (say 'hover (substring-no-properties hover)))
    (say 'symbols (length (eglot-imenu)))

    ;; Definition, references and rename of an input.
    (put-point "kind}}")
    (let ((place (point)))
      (say 'references
           (length (xref-backend-references 'eglot (xref-backend-identifier-at-point 'eglot))))
      (xref-find-definitions (xref-backend-identifier-at-point 'eglot))
      (say 'definition (vector (line-number-at-pos) (current-column)))
      (goto-char place))
    (cl-letf (((symbol-function 'y-or-n-p) (lambda (&rest _) t)))
      (eglot-rename "leaf"))
    (let (renamed)
      (dolist (buffer (buffer-list))
        (with-current-buffer buffer
          (when buffer-file-name
            (save-excursion
              (goto-char (point-min))
              (while (search-forward "leaf" nil t)
                (push (string-trim (current-line)) renamed))))))
      (say 'renamed (vconcat (sort renamed #'string<))))

    ;; Safe fixes on save.
    (set-buffer skill)
    (put-point "name: tea")
    (end-of-line)
    (insert "\nlicense: MIT: x")
    (save-buffer)
    (put-point "license")
    (say 'saved (current-line))
    (eglot-shutdown (eglot-current-server))))

(condition-case reason
    (if (getenv "SAID") (session) (open-skill))
  (error (say 'error (format "%S" reason))))
(when (getenv "SAID")
  (with-temp-file (getenv "SAID") (insert (json-encode said))))

;;; emacs.el ends here
